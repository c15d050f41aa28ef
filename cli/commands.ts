import type { Command } from './command.js';

/** A command as the list shows it; what it does is loaded when it is asked for. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<{ command: Command }>;
}

const entry = (name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({ name, summary, load });

/** All commands, in the order of the help text. */
export const commands: readonly CommandEntry[] = [
  entry('apply', 'Make an infra what a definition file says', () => import('./commands/apply.js')),
  entry('delete', 'Delete an infra and all that it has', () => import('./commands/delete.js')),
  entry('validate', 'Report everything wrong with a definition file', () => import('./commands/validate.js')),
  entry('schema', 'Print the JSON Schema of definitions', () => import('./commands/schema.js')),
  entry('inventory', 'Show what exists', () => import('./commands/inventory.js')),
  entry('orphans', 'List what nobody remembers, and remove it', () => import('./commands/orphans.js')),
  entry('logs', 'Show what hosts printed, or the logs of the engine', () => import('./commands/logs.js')),
  entry('server create', 'Create servers of the definition', () => import('./commands/server-create.js')),
  entry('server update', 'Make servers what the definition says', () => import('./commands/server-update.js')),
  entry('server delete', 'Delete servers', () => import('./commands/server-delete.js')),
  entry('server list', 'List servers', () => import('./commands/server-list.js')),
  entry('server status', 'Show servers with their services and locks', () => import('./commands/server-status.js')),
  entry('server ssh', 'Open a shell on a server, or run a command there', () => import('./commands/server-ssh.js')),
  entry('server key', "Print the public key that opens an infra's servers", () => import('./commands/server-key.js')),
  entry('server forget-key', 'Forget the pinned host key of a server', () => import('./commands/server-forget-key.js')),
  entry('taskserv create', 'Install taskservs of the definition', () => import('./commands/taskserv-create.js')),
  entry('taskserv update', 'Make taskservs what the definition says', () => import('./commands/taskserv-update.js')),
  entry('taskserv delete', 'Remove taskservs from servers; data stays', () => import('./commands/taskserv-delete.js')),
  entry('taskserv list', 'List installed taskservs, or those there are', () => import('./commands/taskserv-list.js')),
  entry('taskserv status', 'Show versions and health of taskservs', () => import('./commands/taskserv-status.js')),
  entry('cluster create', 'Create all of a definition, removing nothing', () => import('./commands/cluster-create.js')),
  entry('cluster update', 'Make all what the definition says, removing nothing', () => import('./commands/cluster-update.js')),
  entry('cluster delete', 'Delete an infra and all that it has', () => import('./commands/delete.js')),
  entry('cluster list', 'List infras', () => import('./commands/cluster-list.js')),
  entry('cluster status', 'Show an infra: servers, services, locks', () => import('./commands/cluster-status.js')),
  entry('workflow list', 'List operations', () => import('./commands/workflow-list.js')),
  entry('workflow status', 'Show where an operation stands', () => import('./commands/workflow-status.js')),
  entry('workflow follow', 'Follow an operation to its end', () => import('./commands/workflow-follow.js')),
  entry('workflow pause', 'Begin nothing new until it is resumed', () => import('./commands/workflow-pause.js')),
  entry('workflow resume', 'Go on with a paused operation', () => import('./commands/workflow-resume.js')),
  entry('workflow approve', 'Approve a plan that waits for it, or reject it', () => import('./commands/workflow-approve.js')),
  entry('workflow cancel', 'Stop an operation after the step at hand', () => import('./commands/workflow-cancel.js')),
  entry('workflow retry', 'Try the failed step again, or an ended operation', () => import('./commands/workflow-retry.js')),
  entry('workflow skip', 'Go on without the failed step', () => import('./commands/workflow-skip.js')),
  entry('workflow keep', 'End a waiting operation, keeping what was done', () => import('./commands/workflow-keep.js')),
  entry('workflow rollback', 'Take back what an operation did', () => import('./commands/workflow-rollback.js')),
  entry('batch submit', 'Run many operations in the order of their dependencies', () => import('./commands/batch-submit.js')),
  entry('batch status', 'Show where a batch stands, and its whole record', () => import('./commands/batch-status.js')),
  entry('batch list', 'List batches', () => import('./commands/batch-list.js')),
  entry('batch follow', 'Follow a batch to its end', () => import('./commands/batch-follow.js')),
  entry('batch approve', 'Let the next stage of a batch begin', () => import('./commands/batch-approve.js')),
  entry('batch cancel', 'Stop a batch', () => import('./commands/batch-cancel.js')),
  entry('batch retry', 'Try the failed operations of a waiting batch again', () => import('./commands/batch-retry.js')),
  entry('batch skip', 'Go on without the failed operations of a batch', () => import('./commands/batch-skip.js')),
  entry('batch keep', 'Leave failed operations failed, and go on', () => import('./commands/batch-keep.js')),
  entry('batch rollback', 'Take back what a batch did', () => import('./commands/batch-rollback.js')),
  entry('secret set', 'Keep a secret, from a prompt or standard input', () => import('./commands/secret-set.js')),
  entry('secret list', 'List the names of secrets', () => import('./commands/secret-list.js')),
  entry('secret delete', 'Forget a secret', () => import('./commands/secret-delete.js')),
  entry('fleet status', 'Show the versions of a fleet of workers', () => import('./commands/fleet-status.js')),
  entry('fleet promote', 'Let new operations begin on a version', () => import('./commands/fleet-promote.js')),
  entry('up', 'Find or start the engine and a worker', () => import('./commands/up.js')),
  entry('down', 'Stop the engine and the worker; state stays', () => import('./commands/down.js')),
  entry('status', 'Show whether engine and worker run', () => import('./commands/status.js')),
  entry('ui', 'Show the Web UI of Temporal, decrypted', () => import('./commands/ui.js')),
  entry('encryption status', 'Show the keys that encrypt what the engine stores', () => import('./commands/encryption-status.js')),
  entry(
    'encryption rotate',
    'Make a new encryption key; former ones still decrypt',
    () => import('./commands/encryption-rotate.js'),
  ),
  entry('version', 'Print the version', () => import('./commands/version.js')),
];
