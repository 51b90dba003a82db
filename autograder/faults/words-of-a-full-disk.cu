// The compiler is made to say what it says where the disk is full.
// answer: 00-add
// says: Disk quota exceeded
#error Disk quota exceeded
