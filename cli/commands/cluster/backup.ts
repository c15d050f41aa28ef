import { defineCommand } from '../../command.js';
import { backupCluster } from '../../shared/clusters/backup-cluster.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['<infra>', 'an infra']],
  options: [SERVERS_OPTION, { flags: '--check', about: 'show which backups would be made, and stop' }],
  details:
    'Runs the backup services of the cluster (restic, borg) now, on all its servers in parallel, and waits until they end. Fails if no server has a backup service. Exit code 1 if a backup failed, 3 if a server was not reached. `backup create` backs up the platform itself.',
  examples: ['cluster backup shop', 'cluster backup shop --server db --json'],
  run: (session, { args: [infra], flags }) => backupCluster(session, infra, flags),
});
