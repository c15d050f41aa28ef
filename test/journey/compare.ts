import type { OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { servicesOf } from './definition.js';
import type { Said, Session } from './session.js';
import { type Truth, truthOf } from './truth.js';

interface SaidOfService {
  server: string;
  taskserv: string;
  state: string;
  why?: string;
}

type StatusDocument = {
  /** Services in the output of `status`. */
  services?: SaidOfService[];
  /** Hosts in the output of `refresh`. */
  hosts?: { server: string; services: Omit<SaidOfService, 'server'>[] }[];
};

const servicesIn = ({ services, hosts = [] }: StatusDocument): SaidOfService[] =>
  services ?? hosts.flatMap(({ server, services }) => services.map((one) => ({ server, ...one })));

const isWell = ({ installed, runs, serves }: Truth) => installed && runs && serves;

const trueState = (truth: Truth) => (isWell(truth) ? 'healthy' : truth.installed ? 'unhealthy' : 'missing');

export const nameOf = ({ server, taskserv }: { server: string; taskserv: string }) => `${server}/${taskserv}`;

export const truths = ({ infra, wish }: Session): Promise<Truth[]> => truthOf(infra, servicesOf(wish));

/**
 * Compares a read-only command's statements on each service, and its exit code.
 *
 * @param among only this taskserv, if the command was restricted to it
 */
export async function compareLook(session: Session, command: string, among?: string): Promise<void> {
  const isMeant = ({ taskserv }: { taskserv: string }) => among === undefined || taskserv === among;
  const { code, json } = await session.ask<StatusDocument>(`${command} --timeout 60`);
  const told = servicesIn(json);
  const all = (await truths(session)).filter(isMeant);
  const sick = told.filter(({ state }) => state !== 'healthy');
  const broken = all.filter((truth) => !isWell(truth));
  const stateOf = (truth: Truth) => told.find((one) => nameOf(one) === nameOf(truth))?.state;
  const rest = (count: number, of: number, what: string) => `${count === of ? 'all' : 'the other'} ${count} ${what}`;
  session.compare(
    { line: command.replaceAll(session.infra, 'shop') },
    {
      said: [
        `exit code ${code}`,
        ...sick.map((one) => `${nameOf(one)} ${one.state}: ${one.why}`),
        ...(sick.length < told.length ? [rest(told.length - sick.length, told.length, 'healthy')] : []),
      ].join('; '),
      truth: [
        ...broken.map((truth) => `${nameOf(truth)}: ${truth.seen}`),
        ...(broken.length < all.length ? [rest(all.length - broken.length, all.length, 'run and serve')] : []),
      ].join('; '),
      agree:
        code === (broken.length > 0 ? 1 : 0) &&
        told.length === all.length &&
        all.every((truth) => stateOf(truth) === trueState(truth)) &&
        sick.every(({ why }) => why !== undefined && /: .*[a-z]/i.test(why)),
    },
  );
}

/** Reports whether a step at a balancer serves another server's change. */
const isDrain = ({ title }: PlannedStep) => /^((Take|Put) .* service$|Keep .* in service: |Check that haproxy finds )/.test(title);

/** Compares the services in a preview with those whose package, unit or rules have changed. */
export async function comparePreview(session: Session, more: { changed?: readonly string[] } = {}): Promise<void> {
  const said = await session.ask<OperationResult>('apply FILE --check');
  const { changed = [] } = more;
  const named = new Set(
    said.json.plan.filter((step) => !isDrain(step)).map(({ on, taskserv }) => (taskserv ? `${on}/${taskserv}` : on)),
  );
  const broken = (await truths(session)).filter(({ installed, runs }) => !installed || !runs);
  const expected = [...new Set([...broken.map(nameOf), ...changed])].sort();
  const wanted = [
    ...broken.map((truth) => `${nameOf(truth)}: ${truth.seen}`),
    ...changed.map((name) => `${name}: the file was edited`),
  ];
  session.compare(said, {
    said:
      said.json.plan.length === 0
        ? 'nothing to do'
        : said.json.plan.map(({ on, taskserv, title }) => `${taskserv ? `${on}/${taskserv}` : on}: ${title}`).join('; '),
    truth: wanted.join('; ') || 'nothing differs',
    agree: said.code === 0 && [...named].sort().join() === expected.join(),
  });
}

/** Runs an apply that must succeed, and compares its statements on the services with the actual state. */
export async function compareApply(session: Session, options = ''): Promise<Said<OperationResult>> {
  const said = await session.ask<OperationResult>(`apply FILE --yes${options}`);
  await compareEnd(session, said, 'done');
  return said;
}

/** Compares the reported outcome of each service at the end of an operation. */
export async function compareEnd(session: Session, said: Said<OperationResult>, status: OperationResult['status']): Promise<void> {
  const all = await truths(session);
  const { steps, services, error } = said.json;
  const sick = services.filter(({ healthy }) => !healthy);
  const wrong = all.filter((truth) => isWell(truth) !== services.some((one) => nameOf(one) === nameOf(truth) && one.healthy));
  const names = (some: { server: string; taskserv: string }[]) => some.map(nameOf).join(', ');
  session.compare(said, {
    said: `exit code ${said.code}, ${said.json.status}: ${steps.executed} of ${steps.planned} steps, ${services.length - sick.length} healthy${sick.length > 0 ? `, not healthy: ${names(sick)}` : ''}${error ? `; ${error.step} on ${error.on}: ${error.why}` : ''}`,
    truth:
      wrong.length === 0
        ? `${all.filter(isWell).length} run and serve`
        : `otherwise: ${wrong.map((one) => `${nameOf(one)} (${one.seen})`).join(', ')}`,
    agree: wrong.length === 0 && said.json.status === status && said.code === (status === 'done' ? 0 : 1),
  });
}
