export const IMAGES = ['debian-12', 'debian-13', 'ubuntu-24.04'] as const;
