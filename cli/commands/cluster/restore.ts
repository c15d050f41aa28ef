import { defineCommand } from '../../command.js';
import { restoreCluster } from '../../shared/clusters/restore-cluster.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['<infra>', 'an infra']],
  options: [
    { flags: '--to <time>', about: 'newest backup at or before this time: an age (12h) or a time (default: the newest backup)' },
    SERVERS_OPTION,
    { flags: '--check', about: 'show which backups would be restored, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Chooses a backup of restic or borg on each server, shows it, and asks for confirmation. Writes its files to a new folder in /var/restored of the server. Present files and services stay as they are. If a restore fails, its folder is removed. You load a dump into a database yourself: the end prints the command.',
  examples: [
    'cluster restore shop --check',
    'cluster restore shop --to 2026-11-29T14:30',
    'cluster restore shop --to 2d --server db',
  ],
  run: (session, { args: [infra], flags }) => restoreCluster(session, infra, flags),
});
