import { configPlace } from '../../../authoring/settings/config-place.js';
import { lookAtConfig, type Resolution, type SettledKey } from '../../../settings/layers/resolve.js';
import type { CommonFlags } from '../../command.js';
import type { Screen } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { yamlText } from '../../program/yaml-text.js';

/** Screens of a process in addition to those of its session. */
interface Screens {
  out: Screen;
  err: Screen;
}

/**
 * Configures the output from options and the settings `output.*`. Unreadable settings are ignored here and reported by
 * the commands that need them.
 */
export async function settleOutput(session: Session, flags: CommonFlags, { out, err }: Screens): Promise<void> {
  const resolution = await lookAtConfig(configPlace(session)).catch(() => undefined);
  const screens = [session.out, session.err, out, err];
  const format = flags.yaml ? 'yaml' : flags.json ? 'json' : value(resolution, 'output.format');
  if (format === 'json' || format === 'yaml') {
    session.json = true;
    // A consumer of a document cannot answer questions.
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
  // NO_COLOR from the user's shell takes precedence over files.
  const always = color.value === 'always' && (!env.NO_COLOR || color.winner?.layer === 'variables');
  if (color.value === 'always' && !always) return;
  for (const screen of screens) screen.colours = always;
}
