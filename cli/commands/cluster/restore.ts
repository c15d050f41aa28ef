import { defineCommand } from '../../command.js';
import { restoreCluster } from '../../shared/clusters/restore-cluster.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['<infra>', 'an infra']],
  options: [
    { flags: '--to <time>', about: 'this time: an age (12h) or a time (default: the newest backup)' },
    SERVERS_OPTION,
    { flags: '--in-place', about: 'replace the data of a patroni cluster: later writes are removed' },
    { flags: '--check', about: 'show which backups would be restored, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Chooses the newest backup of restic or borg at or before the time on each server, shows it, and asks for confirmation. Writes its files to a new folder in /var/restored of the server. Present files and services stay as they are. If a restore fails, its folder is removed. You load a dump into a database yourself: the end prints the command. A cluster of patroni with `backups` is restored to the time itself, to a new folder of one member. With `--in-place` the cluster gets that state: all members stop, the leader restores it and leads, and the others follow it. The former data of the leader stays in a folder. If the restore fails, the former data serves again.',
  examples: [
    'cluster restore shop --check',
    'cluster restore shop --to 2026-11-29T14:30',
    'cluster restore shop --to 2d --server db',
    'cluster restore shop --to 2026-11-29T14:30:05 --in-place',
  ],
  run: (session, { args: [infra], flags }) => restoreCluster(session, infra, flags),
});
