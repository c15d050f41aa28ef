/** A time as `journalctl --since` reads it: an age such as `30m` or `2 h` is a time ago, anything else stays as it is. */
export function parseSince(written: string): string {
  const [, count, unit] = /^(\d+) ?(s|m|min|h|d)$/.exec(written.trim()) ?? [];
  return count && unit ? `-${count}${unit === 'm' ? 'min' : unit}` : written;
}
