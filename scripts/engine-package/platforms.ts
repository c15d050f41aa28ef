import type { Target } from '../../workers/engine/binary/engine-key.js';

/** Platforms for which engines are packed. */
export const PLATFORMS: readonly Target[] = [
  { platform: 'linux', arch: 'x64' },
  { platform: 'linux', arch: 'arm64' },
];

export const nameOf = ({ platform, arch }: Target): string => `${platform}-${arch}`;
