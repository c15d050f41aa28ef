import { absentError, inputError, unreachableError } from '../../../core/errors.js';
import { type Fact, factKey } from '../../../core/host/facts.js';
import type { Answer, Question } from '../../../core/host/question.js';
import { timeLeft } from '../../worked-time.js';
import type { Sight } from '../host.js';
import { hostFault } from '../journal/host-fault.js';
import { readFacts } from '../look/found.js';
import { verdict } from '../look/health.js';
import { LOOK_MS, type Look, type LookAnswer, PROBE_SECONDS, renderLook, type ScriptAnswer } from '../look/look-script.js';
import { parseLook } from '../look/parse-look.js';
import { listRanCommands } from '../look/ran-in.js';
import type { Revealer } from './revealing.js';
import type { ScriptedHost } from './scripted-host.js';

const NO_ANSWER: ScriptAnswer = { exit: 1, stdout: '' };

/**
 * One remote execution that answers all facts and health checks of a host.
 *
 * @throws `look-late` with host, unit and question where one has no answer in its time; `look-too-large`
 */
export async function look(
  host: ScriptedHost,
  questions: readonly Question[],
  revealer: Revealer,
  { signal, probeSeconds = PROBE_SECONDS }: { signal?: AbortSignal; probeSeconds?: number } = {},
): Promise<Sight> {
  const unique = new Map<string, Fact<unknown>>();
  for (const { facts } of questions) for (const fact of Object.values(facts)) unique.set(factKey(fact), fact);
  const asked: Look = {
    facts: [...unique.values()],
    health: questions.flatMap(({ health }) => health?.checks ?? []),
    probeSeconds,
  };
  const answer = await ask(host, asked, revealer, signal);
  refuseFaults(host, questions, asked, answer);
  const order = [...unique.keys()];
  const outputOf = (fact: Fact<unknown>): ScriptAnswer => answer.facts[order.indexOf(factKey(fact))] ?? NO_ANSWER;
  const { os, release, arch, cores, memoryMiB, freeMiB, health } = answer;
  let check = 0;
  const hidden = (version: string | undefined) => version && revealer.hide(version);
  const answers = questions.map((question): Answer => {
    const { checks = [], endpoints = [] } = question.health ?? {};
    const around = { endpoints, units: idleUnits(Object.values(question.facts), outputOf), hide: revealer.hide };
    const verdicts = checks.map((one) => {
      const said = health[check++] ?? NO_ANSWER;
      return { check: one, answer: said, why: verdict(one, said, around) };
    });
    const why = verdicts.find((one) => one.why !== undefined)?.why;
    const { unit, facts } = question;
    const ran = listRanCommands({ unit, facts, outputOf, checks: verdicts, hide: revealer.hide });
    const found = readFacts(question.facts, outputOf, revealer.reveal);
    return {
      found,
      ...(ran.length > 0 && { ran }),
      ...(why === undefined ? {} : { why: revealer.hide(why) }),
      // Plans are made from what was found, and so leave out what is there.
      toDo: (planned) => planned,
      toRemove: (planned) => planned,
      installed: (read) => hidden(read(found)),
    };
  });
  return { machine: { os, ...(release !== undefined && { release }), arch, cores, memoryMiB, freeMiB }, answers };
}

/** The units among the facts that are not active. */
function idleUnits(facts: readonly Fact<unknown>[], outputOf: (fact: Fact<unknown>) => ScriptAnswer) {
  return facts.flatMap((fact) => {
    const unit = fact.kind === 'service' ? outputOf(fact).unit : undefined;
    return fact.kind === 'service' && unit ? [{ name: fact.name, ...unit }] : [];
  });
}

async function ask(host: ScriptedHost, asked: Look, { reveal, hide }: Revealer, signal?: AbortSignal): Promise<LookAnswer> {
  const transport = await host.open();
  const script = renderLook(asked, reveal);
  const { stdout, stderr, exit } = await transport.exec(script, { signal, limitMs: LOOK_MS, withinMs: timeLeft() });
  const about = { what: 'look at the host', on: host.server };
  try {
    return parseLook(asked, stdout);
  } catch (error) {
    if (exit === 90)
      throw absentError({
        ...about,
        code: 'host-disk-full',
        why: 'the host cannot create a temporary folder; its disk is full or read-only',
        hint: 'free disk space on the host or make it writable, then run the command again',
      });
    const fault = hostFault(about.what, about.on, hide(stderr));
    if (fault) throw fault;
    const broken = exit === 0 && error instanceof Error ? error.message : `the look ended with code ${exit}`;
    throw unreachableError({ ...about, code: 'look-broken', why: hide(stderr.trim()).slice(-300) || broken }, { cause: error });
  }
}

/** Nothing can be decided where a question has no answer. A check without one is only not healthy. */
function refuseFaults(
  { server }: ScriptedHost,
  questions: readonly Question[],
  asked: Look,
  { late, facts: answers }: LookAnswer,
): void {
  const what = 'look at the host';
  if (late) {
    const why = `the query for ${late} on the host did not end within ${asked.probeSeconds} s, and was stopped`;
    throw unreachableError({ code: 'look-late', what, on: server, why });
  }
  const index = answers.findIndex(({ fault }) => fault !== undefined);
  const fact = asked.facts[index];
  if (!fact) return;
  const { fault = '' } = answers[index] ?? {};
  const key = factKey(fact);
  const [unit, name] = questions
    .flatMap(({ unit, facts }) => Object.entries(facts).map(([name, one]) => [unit, name, factKey(one)] as const))
    .find(([, , other]) => other === key) ?? ['', ''];
  const on = `${server}/${unit}`;
  const question = fact.kind === 'file' ? `the file ${fact.path}` : `the question "${name}"`;
  if (/larger/.test(fault)) throw inputError({ code: 'look-too-large', what, on, why: `${question}: ${fault}` });
  throw unreachableError({ code: 'look-late', what, on, why: `${question}: ${fault}` });
}
