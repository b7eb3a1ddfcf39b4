// A call of a virtual function reads the object's table, then the function's place in it.
#include "marks.h"

#include <cstdio>

struct shape {
    virtual int size() const { return side; }
    virtual ~shape() {}
    int side = 3;
};

struct square : shape {
    int size() const override { return side * side; }
};

__attribute__((noinline)) static int size_of(const shape *one)
{
    return one->size();
}

int main(int argc, char **)
{
    shape *one = argc > 1 ? new shape : new square;
    begin();
    int size = size_of(one);
    end();
    std::printf("%p %d\n", (void *)one, size);
    delete one;
    return 0;
}
