import { sh } from '../host/shell.js';

/** A timer of systemd that starts the service of its name; what was missed while the host was off is made up for. */
export const timerFile = (description: string, schedule: string, { delay }: { delay: string }): string => `[Unit]
Description=${description}

[Timer]
OnCalendar=${schedule}
RandomizedDelaySec=${delay}
Persistent=true

[Install]
WantedBy=timers.target
`;

/**
 * A script that fails where a file of variables (`EnvironmentFile=`) has a line that systemd, or a shell that reads it,
 * takes for something else than one variable: a secret in single quotes may have one in it, or a line end.
 */
export const checkEnvironmentFile = (path: string): string =>
  sh`if grep -qvE ${`^(#.*|[A-Za-z_][A-Za-z0-9_]*=("([^"\\\\]|\\\\.)*"|'[^']*'|[]A-Za-z0-9_.,:=/*?[-]*))?$`} ${path}; then
  echo 'a secret of the environment has a quote or more than one line, which cannot stand there'
  exit 1
fi`;
