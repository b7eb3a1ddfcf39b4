// How the columns of a table vary together: each column is centred on zero, and then multiplied by
// itself and each column to its right. A thread has a column, so the lanes of a warp read
// neighbours, of the columns to the right as well: each lane begins at its own. But rows and
// columns are counted from 1, so a warp's first number is the second of a line, and it touches two.
//
//   covariance   PolyBench's benchmark COVAR
//   correlation  columns are scaled to one standard deviation first: its benchmark CORR
//
// Sums grow in memory, as there. Those of the products lie a row and a column apart: 32 lines.
#include "matrix.h"

__global__ void table_means(const float *data, float *mean, unsigned rows, unsigned columns,
                            unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > columns)
        return;
    mean[j] = 0.0f;
    for (unsigned i = 1; i <= rows; i++)
        mean[j] += data[i * pitch + j];
    mean[j] /= (float)rows;
}

// A column that does not vary counts as if it did, by one.
__global__ void table_deviations(const float *data, const float *mean, float *deviation,
                                 unsigned rows, unsigned columns, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > columns)
        return;
    deviation[j] = 0.0f;
    for (unsigned i = 1; i <= rows; i++)
        deviation[j] += (data[i * pitch + j] - mean[j]) * (data[i * pitch + j] - mean[j]);
    deviation[j] = sqrtf(deviation[j] / (float)rows);
    if (deviation[j] <= 0.005f)
        deviation[j] = 1.0f;
}

__global__ void table_centre(float *data, const float *mean, unsigned rows, unsigned columns,
                             unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= rows && j <= columns)
        data[i * pitch + j] -= mean[j];
}

__global__ void table_scale(float *data, const float *mean, const float *deviation, unsigned rows,
                            unsigned columns, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= rows && j <= columns)
        data[i * pitch + j] = (data[i * pitch + j] - mean[j]) / (sqrtf((float)rows) * deviation[j]);
}

// The products of column j and `partners` columns from `first` to its right on, as far as there
// are, which are also the products of those with column j.
static __device__ void multiply_columns(const float *data, float *products, unsigned first,
                                        unsigned partners, unsigned rows, unsigned columns,
                                        unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > columns)
        return;
    if (first > 0)
        products[j * pitch + j] = 1.0f;
    unsigned end = partners < columns ? min(j + first + partners - 1, columns) : columns;
    for (unsigned other = j + first; other <= end; other++) {
        products[j * pitch + other] = 0.0f;
        for (unsigned i = 1; i <= rows; i++)
            products[j * pitch + other] += data[i * pitch + j] * data[i * pitch + other];
        products[other * pitch + j] = products[j * pitch + other];
    }
}

__global__ void table_products(const float *data, float *products, unsigned first, unsigned rows,
                               unsigned columns, unsigned pitch)
{
    multiply_columns(data, products, first, columns, rows, columns, pitch);
}

// The first partners alone.
__global__ void table_products_begun(const float *data, float *products, unsigned first,
                                     unsigned partners, unsigned rows, unsigned columns,
                                     unsigned pitch)
{
    multiply_columns(data, products, first, partners, rows, columns, pitch);
}

enum { COVARIANCE, CORRELATION };
enum { ROWS, COLUMNS, PARTNERS, PAD, BLOCK, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"m", "rows of the table", 64, 1, 4096, NULL},
    {"n", "columns of the table", 256, 1, 4096, NULL},
    {"partners", "products of a column that are computed, the first ones; 0 for all", 0, 0, 4096,
     NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block", "threads of a block, a multiple of 32", 256, 32, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "what is computed of each two columns", 0, 0, 0, "covariance correlation"},
};

// A table whose rows and columns are counted from 1. Each two rows lie as far from a whole number
// on either side, column by column, so that means are whole numbers too and covariances are exact.
static struct matrix random_table(unsigned rows, unsigned columns, unsigned pad,
                                  struct workload_random *random)
{
    struct matrix table = matrix_new(rows + 1, columns + 1, pad);
    for (size_t j = 1; j <= columns; j++) {
        float mean = (float)workload_below(random, 17) - 8.0f;
        for (size_t i = 1; i <= rows; i++) {
            float before = matrix_row(&table, i - 1)[j];
            float away = i == rows ? 0.0f : (float)workload_below(random, 17) - 8.0f;
            matrix_row(&table, i)[j] = i % 2 == 0 ? 2.0f * mean - before : mean + away;
        }
    }
    return table;
}

static void products_on_device(struct matrix *data, struct matrix *products)
{
    unsigned rows = data->rows - 1, columns = data->columns - 1, pitch = data->pitch;
    unsigned block = (unsigned)options[BLOCK].value, grid = matrix_blocks(columns, block);
    // The two kernels that have a thread for each number have them in blocks of 32 columns.
    dim3 table_block(32, block / 32 < 8 ? block / 32 : 8);
    dim3 table_grid(matrix_blocks(columns, 32), matrix_blocks(rows, table_block.y));
    struct matrix mean = matrix_new(1, columns + 1, 0), deviation = matrix_new(1, columns + 1, 0);
    matrix_upload(&mean);
    matrix_upload(&deviation);
    table_means<<<grid, block>>>(data->device, mean.device, rows, columns, pitch);
    WORKLOAD_CHECK_LAUNCH();
    if (options[VARIANT].value == COVARIANCE) {
        table_centre<<<table_grid, table_block>>>(data->device, mean.device, rows, columns, pitch);
    } else {
        table_deviations<<<grid, block>>>(data->device, mean.device, deviation.device, rows,
                                          columns, pitch);
        WORKLOAD_CHECK_LAUNCH();
        table_scale<<<table_grid, table_block>>>(data->device, mean.device, deviation.device, rows,
                                                 columns, pitch);
    }
    WORKLOAD_CHECK_LAUNCH();
    unsigned first = options[VARIANT].value == CORRELATION;
    unsigned partners = matrix_part(options[PARTNERS].value, columns);
    if (partners == columns)
        table_products<<<grid, block>>>(data->device, products->device, first, rows, columns,
                                        products->pitch);
    else
        table_products_begun<<<grid, block>>>(data->device, products->device, first, partners, rows,
                                              columns, products->pitch);
    WORKLOAD_CHECK_LAUNCH();
    matrix_free(&mean);
    matrix_free(&deviation);
}

// In double precision, and rows of `table` turned into columns first.
static void products_on_host(const struct matrix *table, struct matrix *products)
{
    size_t rows = table->rows - 1, columns = table->columns - 1;
    size_t partners = matrix_part(options[PARTNERS].value, (unsigned)columns);
    size_t first = options[VARIANT].value == CORRELATION;
    double *turned = (double *)workload_allocate(rows * columns * sizeof(double));
    for (size_t j = 0; j < columns; j++) {
        double *column = turned + j * rows, mean = 0.0, square = 0.0;
        for (size_t i = 0; i < rows; i++)
            mean += column[i] = matrix_row(table, i + 1)[j + 1];
        for (size_t i = 0; i < rows; i++) {
            column[i] -= mean / (double)rows;
            square += column[i] * column[i];
        }
        double scale = square > 0.0 ? sqrt(square) : sqrt((double)rows);
        for (size_t i = 0; i < rows && options[VARIANT].value == CORRELATION; i++)
            column[i] /= scale;
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t other = 0; other < columns; other++) {
            size_t apart = other > j ? other - j : j - other;
            if (apart >= first + partners)
                continue;
            double sum = 0.0;
            for (size_t i = 0; i < rows; i++)
                sum += turned[j * rows + i] * turned[other * rows + i];
            bool itself = options[VARIANT].value == CORRELATION && j == other;
            matrix_row(products, j + 1)[other + 1] = itself ? 1.0f : (float)sum;
        }
    free(turned);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "covariance", "how the columns of a table vary together", options,
                   OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, columns = (unsigned)options[COLUMNS].value;
    unsigned pad = (unsigned)options[PAD].value;
    if (options[BLOCK].value % 32 != 0) {
        fprintf(stderr, "covariance: --block takes a multiple of 32, not '%ld'\n",
                options[BLOCK].value);
        return 2;
    }
    struct workload_random random = {(unsigned long long)options[SEED].value};
    struct matrix data = random_table(rows, columns, pad, &random);
    // Row and column 0 are zero, and stay so.
    struct matrix products = matrix_zero(columns + 1, columns + 1, pad);
    struct matrix expected = matrix_copy(&products);
    matrix_upload(&data);
    matrix_upload(&products);
    products_on_device(&data, &products);
    products_on_host(&data, &expected);

    // Covariances are sums of up to 4096 products of whole numbers up to 8: exact. A correlation is
    // at most 1, and sums of rounded numbers: of fewer than a hundred roundings' worth, 2^-24 each.
    float tolerance = options[VARIANT].value == COVARIANCE ? 0.0f : 0.00001f;
    long wrong = matrix_compare(&products, &expected, tolerance);
    matrix_free(&data);
    matrix_free(&products);
    matrix_free(&expected);
    return workload_verdict("covariance", wrong);
}
