/** A command for `systemd-run`, whose variables the shell in the unit is to see, not systemd. */
export const literally = (command: string): string => command.replaceAll('$', () => '$$');
