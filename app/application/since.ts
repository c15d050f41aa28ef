/**
 * Converts a time for `journalctl --since`: an age such as `30m` or `2 h` becomes a time ago, any other text stays
 * unchanged.
 */
export function parseSince(written: string): string {
  const [, count, unit] = /^(\d+) ?(s|m|min|h|d)$/.exec(written.trim()) ?? [];
  return count && unit ? `-${count}${unit === 'm' ? 'min' : unit}` : written;
}
