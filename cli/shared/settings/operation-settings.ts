import type { ConfigPlace } from '../../../settings/layers/layers.js';
import { lookAtConfig, resolveConfig } from '../../../settings/layers/resolve.js';
import type { CommonFlags, FlagsOf, HARMLESS } from '../../command.js';
import type { Screen } from '../../program/screen.js';
import type { Session } from '../../session.js';

/** What settings are resolved for in a session. */
export const configPlace = ({ home, env, folder, environment }: Session, infra?: string): ConfigPlace => ({
  home,
  env,
  ...(folder === undefined ? {} : { workspaceFolder: folder }),
  ...(infra === undefined ? {} : { infra }),
  ...(environment === undefined ? {} : { environment }),
});

type HowFlags = Pick<FlagsOf<typeof HARMLESS>, 'onFailure' | 'onTimeout' | 'priority'>;

/**
 * How an operation is done: what options say, else the settings for its infra.
 *
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function operationSettings(session: Session, flags: HowFlags & CommonFlags, infra: string): Promise<HowFlags> {
  const { settled } = await resolveConfig(configPlace(session, infra), {
    flags: {
      'operation.onFailure': flags.onFailure,
      'operation.onTimeout': flags.onTimeout,
      'operation.priority': flags.priority,
    },
  });
  const value = (name: string) => settled.get(`operation.${name}`)?.value;
  // The registry allows what the options allow: a test holds them to each other.
  const said = { onFailure: value('onFailure'), onTimeout: value('onTimeout'), priority: value('priority') };
  return Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined)) as HowFlags;
}

/** Lets `output.color` decide over colours. Settings that cannot be read leave them as they are: who needs them says so. */
export async function settleColours(session: Session, { out, err }: { out: Screen; err: Screen }): Promise<void> {
  const resolution = await lookAtConfig(configPlace(session)).catch(() => undefined);
  const color = resolution?.settled.get('output.color');
  if (!color || color.value === 'auto') return;
  // NO_COLOR is said by the user's shell, and goes before files.
  const always = color.value === 'always' && (!session.env.NO_COLOR || color.winner?.layer === 'variables');
  if (color.value === 'always' && !always) return;
  for (const screen of [session.out, session.err, out, err]) screen.colours = always;
}
