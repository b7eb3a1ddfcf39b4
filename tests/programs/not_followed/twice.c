int twice(const int *value);
int four_times(const int *value);

int twice(const int *value)
{
    return 2 * *value;
}

int four_times(const int *value)
{
    return 4 * *value;
}
