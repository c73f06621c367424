/* SPDX-License-Identifier: GPL-2.0 */
/* Disks and their partitions (see compat.bpf.h). */
#ifndef IOLAT_COMPAT_DISK_BPF_H
#define IOLAT_COMPAT_DISK_BPF_H

/* A partition's number (0: the whole disk): bd_partno until 6.9, the low byte of __bd_flags from 6.10. */
struct block_device___6_9 {
	u8 bd_partno;
} __attribute__((preserve_access_index));
struct block_device___6_10 {
	atomic_t __bd_flags;
} __attribute__((preserve_access_index));
static __always_inline u32 bdev_part(struct block_device *bdev)
{
	if (bpf_core_field_exists(struct block_device___6_10, __bd_flags)) {
		struct block_device___6_10 *new = (void *)bdev;

		return (u8)get(new, __bd_flags.counter);
	}
	struct block_device___6_9 *old = (void *)bdev;

	return get(old, bd_partno);
}

/* gendisk.diskseq from 5.15; before, a number made of the disk's address, which a later disk may have again, and
 * its device numbers. Never 0. */
struct gendisk___5_15 {
	u64 diskseq;
} __attribute__((preserve_access_index));

static __always_inline u32 disk_number(struct gendisk *disk)
{
	if (bpf_core_field_exists(struct gendisk___5_15, diskseq)) {
		struct gendisk___5_15 *d = (void *)disk;

		return (u32)get(d, diskseq) ?: 1;
	}
	u32 dev = BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);

	return ((u32)(number_of(disk) >> 6) ^ dev * 0x9E3779B1) | 0x80000000;
}

/* The disk that a kobject stands for: in gendisk.part0, an hd_struct until 5.10; from 5.11 in its block_device. */
struct hd_struct___5_10 {
	struct device __dev;
} __attribute__((preserve_access_index));
struct gendisk___5_10 {
	struct hd_struct___5_10 part0;
} __attribute__((preserve_access_index));
struct block_device___5_11 {
	struct device bd_device;
} __attribute__((preserve_access_index));

static __always_inline struct gendisk *kobject_disk(void *kobj)
{
	if (bpf_core_type_exists(struct hd_struct___5_10))
		return kobj - bpf_core_field_offset(struct gendisk___5_10, part0.__dev.kobj);
	struct block_device *bdev = kobj - bpf_core_field_offset(struct block_device___5_11, bd_device.kobj);

	return BPF_CORE_READ(bdev, bd_disk);
}

#endif /* IOLAT_COMPAT_DISK_BPF_H */
