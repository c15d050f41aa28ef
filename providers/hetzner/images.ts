/** Images that are named alike everywhere. */
export const IMAGES = ['debian-11', 'debian-12', 'debian-13', 'ubuntu-22.04', 'ubuntu-24.04'] as const;

/** Snapshots by their number, and the vendor's other systems. */
export const isOwnImage = (name: string): boolean =>
  /^\d+$/.test(name) || /^(alma|rocky|centos-stream|fedora|opensuse)-[0-9.]+$/.test(name);
