import { configPlace } from '../../../authoring/settings/config-place.js';
import { lookAtConfig, type Resolution, type SettledKey } from '../../../settings/layers/resolve.js';
import type { CommonFlags } from '../../command.js';
import type { Screen } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { yamlText } from '../../program/yaml-text.js';

/** The screens of a process beside those of its session. */
interface Screens {
  out: Screen;
  err: Screen;
}

/**
 * Lets options and the settings `output.*` decide how a command prints. Settings that cannot be read leave all as it
 * is: who needs them says so.
 */
export async function settleOutput(session: Session, flags: CommonFlags, { out, err }: Screens): Promise<void> {
  const resolution = await lookAtConfig(configPlace(session)).catch(() => undefined);
  const screens = [session.out, session.err, out, err];
  const format = flags.yaml ? 'yaml' : flags.json ? 'json' : value(resolution, 'output.format');
  if (format === 'json' || format === 'yaml') {
    session.json = true;
    // Who gets a document is no person who can be asked.
    session.interactive = false;
    session.ask = undefined;
  }
  if (format === 'yaml') session.documentText = await yamlText();
  if (value(resolution, 'output.verbose') === true) session.verbose = true;
  const width = value(resolution, 'output.width');
  if (typeof width === 'number') for (const screen of screens) screen.columns = () => width;
  if (value(resolution, 'output.progress') === 'plain') for (const screen of screens) screen.live = false;
  settleColours(session, resolution?.settled.get('output.color'), screens);
}

const value = (resolution: Resolution | undefined, name: string) => resolution?.settled.get(name)?.value;

function settleColours({ env }: Session, color: SettledKey | undefined, screens: readonly Screen[]): void {
  if (!color || color.value === 'auto') return;
  // NO_COLOR is said by the user's shell, and goes before files.
  const always = color.value === 'always' && (!env.NO_COLOR || color.winner?.layer === 'variables');
  if (color.value === 'always' && !always) return;
  for (const screen of screens) screen.colours = always;
}
