import { ensureFile, type FoundFile, inputError, type Member, type PlanContext, type Step } from '../../sdk/index.js';
import type { Json } from './cluster-settings.js';
import { type FoundMember, isUpgrade } from './member.js';
import type { PatroniConfig } from './patroni-config.js';
import { judgeMember } from './patroni-group.js';
import { UNIT } from './places.js';
import { act, giveSettings } from './program.js';
import { UPGRADE_TEXT, type UpgradeAction, upgradeAction } from './upgrade-program.js';

type Known = Member<{ member: FoundMember }>;

const others = ({ group, host }: PlanContext): Known[] =>
  ((group?.members ?? []) as readonly Known[]).filter(({ server }) => server !== host.name);

/**
 * Where the state of a cluster is in etcd. An upgrade to another major version begins another place: the members of the
 * former version keep theirs, and no member can take the lead of the other version.
 */
export function findNamespace(member: FoundMember, context: PlanContext): string {
  const { version } = context;
  const own = `/patroni/${version}/`;
  if (member.version === version) return member.namespace ?? '/patroni/';
  if (isUpgrade(member, version)) return own;
  const seen = others(context).flatMap(({ found }) => (found?.member.version === undefined ? [] : [found.member]));
  const same = seen.find((one) => one.version === version);
  if (same) return same.namespace ?? '/patroni/';
  return seen.some((one) => isUpgrade(one, version)) ? own : '/patroni/';
}

export interface Upgrade {
  member: FoundMember;
  context: PlanContext;
  /** The program that the steps run. */
  program: FoundFile;
  /** Steps that install packages. */
  packages: Step[];
  /** Steps that write files for the new version. */
  files: Step[];
  /** Settings of the cluster, and those with which only members log in. */
  settings: Json;
  closed: Json;
  /** What the service reads. */
  reads: string[];
  /** Opens the repository of the backups for the new version. */
  openRepository: Step[];
}

/**
 * The steps that bring a member to a newer major version. The leader upgrades a copy of its data, and the others copy the
 * result. No client is let in before the last step of the leader, and with `synchronous: strict` before a second member
 * has the data. Until then a way back loses nothing.
 *
 * @throws inputError `quorum-lost` if a member is missing
 */
export function upgradeSteps(config: PatroniConfig, upgrade: Upgrade): Step[] {
  const { member, context } = upgrade;
  const leads = judgeMember(member).leads === true;
  if (leads) refuseMissing(config, context, member);
  else refuseLeaderless(config, context, member);
  const steps = leads ? leaderSteps(config, upgrade) : followerSteps(config, upgrade);
  return [...ensureFile(upgrade.program, { content: UPGRADE_TEXT, mode: '0755' }), ...steps];
}

/** What both kinds of members share. */
function shared({ cluster }: PatroniConfig, upgrade: Upgrade) {
  const { member, context, closed, settings, reads } = upgrade;
  const [from, to] = [member.version ?? '', context.version];
  const step = (title: string, run: UpgradeAction, undo: UpgradeAction | undefined, ...words: (string | number)[]): Step => ({
    title,
    run: upgradeAction(run, from, to, ...words),
    undo: undo ? upgradeAction(undo, from, to) : ':',
  });
  const guard = upgradeAction('keep-writes', from, to, JSON.stringify(closed), JSON.stringify(settings));
  const start: Step = {
    title: `Start patroni with PostgreSQL ${to}`,
    service: { name: UNIT, state: 'running', enabled: true, change: 'restart', reads },
  };
  const joined: Step = { title: 'Wait until the member leads or follows', run: act('joined'), undo: ':' };
  const open: Step = {
    title: `Let clients into PostgreSQL ${to} of the cluster ${cluster}`,
    run: giveSettings(),
    stdin: `${JSON.stringify(settings)}\n`,
    undo: guard,
    keepsServing: true,
  };
  return { from, to, step, guard, start, joined, open };
}

/** Whether clients are let in before a second member has the data: where commits do not wait for one either. */
const opensAtOnce = ({ synchronous }: PatroniConfig, context: PlanContext): boolean =>
  synchronous !== 'strict' || others(context).length === 0;

function leaderSteps(config: PatroniConfig, upgrade: Upgrade): Step[] {
  const { context, packages, files, closed, openRepository } = upgrade;
  const { from, to, step, guard, start, joined, open } = shared(config, upgrade);
  const names = others(context).map(({ server }) => server);
  const atOnce = opensAtOnce(config, context);
  const until = atOnce ? `PostgreSQL ${to} leads` : `a second member has PostgreSQL ${to}`;
  return [
    step(`Check that PostgreSQL ${from} can go to ${to}`, 'ready', undefined, ...names),
    ...packages,
    step(`Make an empty PostgreSQL ${to} beside the data of ${from}`, 'make', 'unmake'),
    step(`Check that PostgreSQL ${to} can take over what ${from} holds`, 'check', undefined),
    step(`Remove from etcd what a former upgrade to ${to} left`, 'clear', undefined),
    step(`Pause Patroni, and stop PostgreSQL ${from}: clients are not served until ${until}`, 'halt', 'unhalt', ...names),
    {
      ...step(`Copy the data of PostgreSQL ${from} to ${to}, and compare what is inside`, 'copy', undefined),
      // In any case: a step that fails before clients are let in is undone without a look at what they wrote.
      stdin: `${JSON.stringify(closed)}\n`,
    },
    ...files,
    start,
    joined,
    ...openRepository,
    atOnce
      ? open
      : {
          title: `Note that PostgreSQL ${to} serves: what clients write from here on keeps it from being rolled back`,
          run: ':',
          undo: guard,
          keepsServing: true,
        },
  ];
}

function followerSteps(config: PatroniConfig, upgrade: Upgrade): Step[] {
  const { context, packages, files } = upgrade;
  const { from, to, step, start, joined, open } = shared(config, upgrade);
  const names = others(context).map(({ server }) => server);
  return [
    step(`Wait until another member leads PostgreSQL ${to}`, 'await-leader', undefined, config.apiPort, ...names),
    ...packages,
    step(`Stop PostgreSQL ${from}; its data stays`, 'leave-former', 'return-to-former'),
    ...files,
    start,
    { ...joined, title: `Copy the data of PostgreSQL ${to} from the leader` },
    open,
  ];
}

/** A member that is missing now would keep the former data, and its host would be without the service after the upgrade. */
function refuseMissing({ cluster }: PatroniConfig, context: PlanContext, { version }: FoundMember): void {
  const faulty = others(context).filter(({ state, standing }) => state === 'silent' || (state === 'seen' && !standing?.serves));
  if (faulty.length === 0) return;
  throw inputError({
    code: 'quorum-lost',
    what: `upgrade PostgreSQL of the cluster ${cluster} from ${version} to ${context.version}`,
    on: context.host.name,
    why: `all members have to follow before: ${faulty.map(({ server, state, standing }) => `${server} ${state === 'silent' ? 'does not answer' : `does not serve${standing?.why ? ` (${standing.why})` : ''}`}`).join(', ')}`,
    hint: 'repair these members with the former version first',
  });
}

/** Without a leader no member can begin. An upgrade that failed left the cluster without one. */
function refuseLeaderless({ cluster }: PatroniConfig, context: PlanContext, member: FoundMember): void {
  const leads = ({ found }: Known) => found !== undefined && judgeMember(found.member).leads === true;
  // Without a group nothing is known of the others. The step itself waits for the leader.
  if (context.group === undefined || others(context).some(leads)) return;
  throw inputError({
    code: 'quorum-lost',
    what: `upgrade PostgreSQL of the cluster ${cluster} from ${member.version} to ${context.version}`,
    on: context.host.name,
    why: 'the cluster has no leader, whose data is upgraded first',
    hint: 'if an upgrade failed before, roll it back: provisioning workflow rollback; else repair the cluster first',
  });
}
