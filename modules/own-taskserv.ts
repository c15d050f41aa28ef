import * as z from 'zod';
import type { CommandOutput, Fact, Facts } from '../core/host/facts.js';
import type { AnyTaskserv, HealthCheck } from '../core/taskserv/taskserv.js';
import * as answers from './answers.js';
import { createAsker } from './asking.js';
import { createOwnGroup } from './own-group.js';
import { openSandbox } from './sandbox.js';
import { compareFiles, type FoundFacts, sendFound, sendGroup } from './sent-found.js';

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
  const asking = createAsker(name, await openSandbox(name, code));
  const { has, schema, ...about } = asking(answers.descriptionAnswer, 'describe', []);
  const steps = (question: string, args: unknown[], found?: FoundFacts) =>
    asking(answers.steps, question, args, found && compareFiles(found)) as ReturnType<AnyTaskserv['plan']>;
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
    installed: (found) => asking(version, 'installed', [sendFound(found)], compareFiles(found)).version,
    plan: (config, found, context) => {
      const { group } = context;
      return steps('plan', [config, sendFound(found, config), group ? { ...context, group: sendGroup(group) } : context], found);
    },
    health: (config, context) =>
      (asking(answers.checks, 'health', [config, context]) as HealthCheck[]).map((check) =>
        'command' in check ? { ...check, given: { entry: check.title, command: check.command, isCheck: true } } : check,
      ),
    remove: (config, found) => steps('remove', [config, sendFound(found, config)], found),
    ...(has.group && { group: createOwnGroup(asking, has.group) }),
    ...(has.drain && { drain: (config, target, context) => steps('drain', [config, target, context]) }),
    ...(has.undrain && { undrain: (config, target, context) => steps('undrain', [config, target, context]) }),
  };

  function valueIn(fact: string, config: unknown, output: CommandOutput, asked?: string): unknown {
    return asking(factValue, 'fact', [config, fact, output, asked]).value;
  }
}

const version = z.strictObject({ version: z.string().max(200).optional() });
const factValue = z.strictObject({ value: z.unknown() });

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
