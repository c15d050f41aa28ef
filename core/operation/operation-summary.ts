import type { Intent, OperationRequest } from './operation.js';

/** Temporal refuses summaries of more than 400 bytes; a few names are as much as anybody reads. */
const NAMES = 4;

const VERBS: Record<Exclude<Intent['verb'], 'rollback' | 'switch-over'>, string> = {
  ensure: 'Apply',
  delete: 'Delete',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
};

const WISHES = { cluster: 'infra', server: 'servers', taskserv: 'taskservs' } as const;

/** Returns a line about an operation: the summary in the Web UI. */
export function summaryOf({ kind, intent, infra, check }: OperationRequest): string {
  const { verb, servers, taskservs, of, group, to } = intent;
  const preview = check ? 'Preview: ' : '';
  if (verb === 'rollback') return `${preview}Roll back ${of ?? 'an operation'} on infra ${infra}`;
  if (verb === 'switch-over')
    return `${preview}Switch over ${group ?? 'a group'}${list(taskservs) && ` of${list(taskservs)}`} of infra ${infra}${to === undefined ? '' : ` to ${to}`}`;
  const named = kind === 'server' ? servers : kind === 'taskserv' ? taskservs : undefined;
  const what = kind === 'cluster' ? `infra ${infra}` : `${named ? '' : 'all '}${WISHES[kind]}${list(named)} of infra ${infra}`;
  const where = kind === 'taskserv' && servers ? ` on${list(servers)}` : '';
  return `${preview}${VERBS[verb]} ${what}${where}`;
}

/** Returns the actor and the command that shows the operation: the details in the Web UI, as Markdown. */
export function detailsOf({ id, workspace, actor }: OperationRequest): string {
  return [
    `Asked for by **${actor}** in workspace **${workspace}**.`,
    '',
    `- Follow it: \`provisioning workflow follow ${id}\``,
    `- What the hosts print: \`provisioning logs ${id}\``,
    '- What is done on which host: *Current Details*; the very step: *Pending Activities*',
  ].join('\n');
}

function list(names: readonly string[] = []): string {
  if (names.length === 0) return '';
  const rest = names.length - NAMES;
  return ` ${names.slice(0, NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
