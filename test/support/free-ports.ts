import { isFree } from '../../workers/engine/processes/ports.js';

/** Returns free ports below the range that Linux uses for outgoing connections. They stay free during a restart. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 12_000 + Math.floor(Math.random() * 7_000);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}
