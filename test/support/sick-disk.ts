const STATE = '/var/lib/provisioning';

/** Faults of a host's state folder as bash for the host, with the expected error texts. */
export const SICK_DISKS = {
  'no space': {
    begin: `mount -t tmpfs -o size=8k tmpfs ${STATE}; dd if=/dev/zero of=${STATE}/f bs=1k count=8 2>/dev/null; true`,
    code: 'host-disk-full',
    says: 'the disk is full',
  },
  'no inodes': {
    begin: `mount -t tmpfs -o size=1m,nr_inodes=2 tmpfs ${STATE}; touch ${STATE}/f; true`,
    code: 'host-disk-full',
    says: 'no inodes are left',
  },
  'read-only': {
    begin: `mount -t tmpfs -o ro tmpfs ${STATE}`,
    code: 'host-read-only',
    says: 'the file system is read-only',
  },
} as const;

/** Removes the fault. Bash for the host. */
export const healDisk = `umount ${STATE}`;
