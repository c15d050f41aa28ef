import type { Facts, FoundFile, FoundService } from '../../core/host/facts.js';
import { quote } from '../../core/host/shell.js';
import type { Step } from '../../core/host/step.js';
import { ensureNoFile, ensureService } from '../../core/taskserv/plans.js';
import type { Taskserv } from '../../core/taskserv/taskserv.js';
import { type PackageService, packageService } from './package.js';

/** Settings of a component that every host has: its package, the unit that reads them, and the files. */
export interface SettingsService<C> extends PackageService<C> {
  /** Package of the component. It stays when the settings are removed, like further packages. */
  package: string;
  /** The unit is one of `files`, and stops when they are removed. Otherwise it continues with the remaining files. */
  ownUnit?: true;
  /**
   * Set if the settings may lock the platform out: without a new connection within these seconds, the host removes
   * them.
   */
  confirmSeconds?: number;
}

/**
 * Creates a taskserv of the kind *settings*: drop-ins and other files of a host's own component, such as its SSH server
 * or its clock.
 *
 * Its plan is that of a package service. Removal only removes the files, and then reloads or restarts the unit.
 */
export function settingsService<C>(kind: SettingsService<C>): Taskserv<C, Facts> {
  const { ownUnit = false, confirmSeconds, unit = kind.package, ...rest } = kind;
  const base = packageService<C>({ ...rest, unit });
  const files = Object.entries(kind.files);
  const reads = files.map(([, { path }]) => path);
  const reloads = files.every(([, { reload }]) => reload);
  const written = (found: Record<string, unknown>) =>
    files.map(([name]) => found[name] as FoundFile).filter(({ exists }) => exists);

  function confirmed(steps: Step[]): Step[] {
    if (confirmSeconds === undefined || steps.length === 0) return [];
    const takeIn = unit ? `\nsystemctl ${reloads ? 'reload' : 'restart'} ${quote(unit)}` : '';
    const revert = `rm -f -- ${reads.map(quote).join(' ')}${takeIn}`;
    return [{ title: 'See that a new connection comes in', run: ':', undo: ':', confirm: { seconds: confirmSeconds, revert } }];
  }

  return {
    ...base,
    kind: 'settings',
    installed: (found) => (written(found).length > 0 ? base.installed(found) : undefined),

    plan(config, found, context) {
      const steps = base.plan(config, found, context);
      return [...steps, ...confirmed(steps)];
    },

    remove(_, found) {
      const known = (found as { unit?: FoundService }).unit;
      const gone = written(found).flatMap(ensureNoFile);
      if (!known) return gone;
      if (ownUnit) return [...ensureService(known, { state: 'stopped', enabled: false }), ...gone];
      // Nothing was written, or the unit is stopped: no reload is needed.
      if (gone.length === 0 || !known.active) return gone;
      const { enabled } = known;
      return [...gone, ...ensureService(known, { state: 'running', enabled, reads, ...(reloads && { change: 'reload' }) }, gone)];
    },
  };
}
