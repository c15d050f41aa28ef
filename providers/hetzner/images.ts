/** Images with the same name in all clouds. */
export const IMAGES = ['debian-11', 'debian-12', 'debian-13', 'ubuntu-22.04', 'ubuntu-24.04'] as const;

/** Reports whether a name is a snapshot's number, or another system of the vendor. */
export const isOwnImage = (name: string): boolean =>
  /^\d+$/.test(name) || /^(alma|rocky|centos-stream|fedora|opensuse)-[0-9.]+$/.test(name);
