int thrice(const int *value);

int thrice(const int *value)
{
    return 3 * *value;
}
