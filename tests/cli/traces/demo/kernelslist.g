MemcpyHtoD,0x00007f0010000000,4096
kernel-1.traceg
