import * as z from 'zod';
import { inputError } from '../core/errors.js';
import { type CommandOutput, type Fact, type Facts, FoundFile } from '../core/host/facts.js';
import type { WantedFile } from '../core/host/step.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import type { AnyTaskserv, HealthCheck } from '../core/taskserv/taskserv.js';
import { clipText } from '../core/text.js';
import * as answers from './answers.js';
import { type FileCheck, openSandbox, type Sandbox } from './sandbox.js';

/** Taskserv from a workspace or a user. */
export type OwnTaskserv = AnyTaskserv & { module: string };

/**
 * Opens a taskserv whose code comes with the definition. It runs in its own engine (`sandbox.ts`). Its answers are
 * checked, because its types were not.
 *
 * @param module content address of the code
 * @throws inputError `module-failed`
 */
export async function ownTaskserv(name: string, code: string, module: string): Promise<OwnTaskserv> {
  const asking = askerOf(name, await openSandbox(name, code));
  const { has, schema, ...about } = asking(answers.descriptionAnswer, 'describe', []);
  const steps = (question: string, args: unknown[], found?: FoundFacts) =>
    asking(answers.steps, question, args, found && comparing(found)) as ReturnType<AnyTaskserv['plan']>;
  return {
    ...about,
    name,
    module,
    config: configOf(schema, (value) => asking(answers.parseAnswer, 'parse', [value])),
    ...(has.endpoints && { endpoints: (config) => asking(answers.endpoints, 'endpoints', [config]) }),
    ...(has.uses && { uses: (config) => asking(answers.names, 'uses', [config]) }),
    facts: (config, asked): Facts =>
      Object.fromEntries(
        Object.entries(asking(answers.facts, 'facts', [config, asked])).map(([fact, sent]): [string, Fact<unknown>] => [
          fact,
          sent.kind === 'command'
            ? {
                ...{ absent: undefined, ...sent, given: { entry: fact, command: sent.run } },
                parse: (output) => valueIn(fact, config, output, asked),
              }
            : sent,
        ]),
      ),
    installed: (found) => asking(version, 'installed', [sentFound(found)], comparing(found)).version,
    plan: (config, found, context) => steps('plan', [config, sentFound(found, config), context], found),
    health: (config, context) =>
      (asking(answers.checks, 'health', [config, context]) as HealthCheck[]).map((check) =>
        'command' in check ? { ...check, given: { entry: check.title, command: check.command, isCheck: true } } : check,
      ),
    remove: (config, found) => steps('remove', [config, sentFound(found, config)], found),
    ...(has.drain && { drain: (config, target, context) => steps('drain', [config, target, context]) }),
    ...(has.undrain && { undrain: (config, target, context) => steps('undrain', [config, target, context]) }),
  };

  function valueIn(fact: string, config: unknown, output: CommandOutput, asked?: string): unknown {
    return asking(factValue, 'fact', [config, fact, output, asked]).value;
  }
}

const version = z.strictObject({ version: z.string().max(200).optional() });
const factValue = z.strictObject({ value: z.unknown() });

type Asking = <Answer>(shape: z.ZodType<Answer>, question: string, args: unknown[], isAsWanted?: FileCheck) => Answer;

function askerOf(name: string, sandbox: Sandbox): Asking {
  return (shape, question, args, isAsWanted) => {
    const { success, data, error } = shape.safeParse(sandbox.ask(question, args, isAsWanted));
    if (success) return data;
    const [issue] = error.issues;
    const why = clipText(`what it answers is not of the type that is asked for: ${issue?.path.join('.')}: ${issue?.message}`, 300);
    const hint = 'check it with tsc, or with the case files of provisioning/sdk/testing';
    throw inputError({ code: 'module-failed', what: `ask a module for "${question}"`, on: `taskserv ${name}`, why, hint });
  };
}

/** Creates a schema that calls the module to parse, and has the module's JSON Schema. */
function configOf(schema: Record<string, unknown>, ask: (value: unknown) => z.infer<typeof answers.parseAnswer>): z.ZodType {
  const config = z.unknown().transform((value, context) => {
    const answer = ask(value);
    if (!('issues' in answer)) return answer.data;
    for (const issue of answer.issues) context.issues.push({ ...issue, input: value } as (typeof context.issues)[number]);
    return z.NEVER;
  });
  const { examples } = schema;
  // `config.meta({ examples })` would create another schema, whose parent is inspected too.
  if (Array.isArray(examples)) z.globalRegistry.add(config, { examples });
  config._zod.toJSONSchema = () => structuredClone(schema);
  return config;
}

/** Compares a file outside the sandbox, where the values of secrets are known. */
function comparing(found: FoundFacts): FileCheck {
  return (fact, wanted) => {
    const file = Object.hasOwn(found, fact) ? found[fact] : undefined;
    const shape = answers.wantedFile.safeParse(JSON.parse(wanted));
    if (!(file instanceof FoundFile) || !shape.success) return false;
    return file.is(shape.data as Omit<WantedFile, 'path'>);
  };
}

type FoundFacts = Record<string, unknown>;

/** Returns the facts for the sandbox, with secret names instead of their values. */
function sentFound(found: FoundFacts, config?: unknown): FoundFacts {
  const secrets = findSecretRefs(config).map(({ name }) => ({ $secret: name }));
  return Object.fromEntries(
    Object.entries(found).map(([fact, value]) => {
      if (!(value instanceof FoundFile)) return [fact, value];
      const { path, exists, mode, owner } = value;
      // Without a configuration, the content of a private file may contain unknown secrets.
      const isShown = config !== undefined || (Number.parseInt(mode, 8) & 0o004) !== 0;
      const content = isShown ? value.shown(secrets).before : '';
      return [fact, { $file: { path, exists, content, mode, owner } }];
    }),
  );
}
