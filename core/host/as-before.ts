import type { FormerState, NotedChange } from './before.js';
import type { Step } from './step.js';

/** Number of names in a title. Further ones are counted. */
const LISTED = 3;

interface Leaving {
  service: string;
  /** Services that go in the same operation. */
  others: readonly string[];
  /** The operation takes no service away after this one. */
  isLast: boolean;
}

/**
 * Returns the steps that remove a service from an adopted host and restore its former state. The last service also
 * removes what came with services.
 *
 * @param steps steps of the taskserv, which does not know the former state
 */
export function restoreBefore(steps: readonly Step[], before: FormerState | undefined, leaving: Leaving): Step[] {
  if (!before) return [...steps];
  const packages = steps.flatMap((step) => ('package' in step && step.package.state === 'absent' ? [step.package.name] : []));
  const isKept = (name: string) => !before.added.includes(name);
  const noteOf = (what: NotedChange['what'], name: string) => before.noted.find((one) => one.what === what && one.name === name);
  const restored = new Set<NotedChange>();
  const stopped = new Set<NotedChange>();
  const goesOn = new Set<NotedChange>();

  const own = steps.flatMap((step): Step[] => {
    if ('package' in step && step.package.state === 'absent' && isKept(step.package.name)) {
      return [{ title: `Keep the package ${step.package.name}, which was there before`, run: ':', undo: ':' }];
    }
    if ('absent' in step) {
      const note = noteOf('file', step.absent.path);
      if (!note) return [step];
      restored.add(note);
      return [restore(note)];
    }
    if (!('service' in step) || step.service.state !== 'stopped') return [step];
    const note = noteOf('unit', step.service.name);
    // No step has ever changed it: it was as the service wants it.
    if (!note) return packages.length > 0 && packages.every(isKept) ? [] : [step];
    if (note.unit?.active) {
      goesOn.add(note);
      return [];
    }
    stopped.add(note);
    return [{ ...step, service: { ...step.service, enabled: note.unit?.enabled === 'enabled' } }];
  });

  const left = before.noted.filter((note) => !restored.has(note) && !note.same && mayReturn(note));
  const rest = left.filter(({ what }) => what !== 'unit').sort(inOrder);
  const isNew = rest.some(({ what }) => what === 'file');
  const units = before.noted.filter((note) => {
    if (note.what !== 'unit' || stopped.has(note)) return false;
    return goesOn.has(note) || !note.same || (isNew && note.unit?.active);
  });
  // A unit that came with a package is disabled before that package goes, and one that was there may need one that returns.
  const [came, were] = [units.filter(({ was }) => was === 'absent'), units.filter(({ was }) => was === 'there')];
  return [...own, ...rest.map(restore), ...came.map(restore), ...packagesOf(before, leaving), ...were.map(restore)];
}

/**
 * Reports whether the taskserv's removal has no step for it. New files and accounts are left to the removal, because
 * data stays.
 */
function mayReturn({ what, was, declared, shared }: NotedChange): boolean {
  if (was === 'there') return !shared;
  return what === 'directory' || shared || (declared && what !== 'account');
}

const ORDER: readonly NotedChange['what'][] = ['file', 'directory', 'account', 'group', 'unit'];

/** A folder is empty once its files are gone, and the inner one goes before the outer one. */
const inOrder = (a: NotedChange, b: NotedChange): number =>
  ORDER.indexOf(a.what) - ORDER.indexOf(b.what) || b.name.length - a.name.length || (a.name < b.name ? -1 : 1);

const restore = (note: NotedChange): Step => ({
  title: titleOf(note),
  restore: { what: note.what, name: note.name, was: note.was, ...(note.shared && { ifEmpty: true as const }) },
});

function titleOf({ what, name, was, shared, unit }: NotedChange): string {
  if (shared) return `Remove ${name}, if it is empty`;
  if (what === 'unit') return unit?.active ? `Start ${name} with what was there before` : `Stop ${name}, as it was before`;
  if (what === 'directory') return was === 'there' ? `Restore owner and mode of ${name}` : `Remove ${name}, if it is empty`;
  const named = what === 'file' ? name : `the ${what} ${name}`;
  if (was === 'there') return `Restore ${named} as it was before`;
  return what === 'file' ? `Remove ${name}` : `Remove ${named}, if nothing needs it`;
}

function packagesOf({ added, gone, services }: FormerState, { service, others, isLast }: Leaving): Step[] {
  const isEmpty = isLast && services.every((one) => one === service || others.includes(one));
  const remove = isEmpty ? added : [];
  const titles = [
    ...(remove.length > 0 ? [`Remove what came with the services, unless others need it: ${listed(remove)}`] : []),
    ...(gone.length > 0 ? [`Install what went when ${service} came: ${listed(gone)}`] : []),
  ];
  return titles.length === 0 ? [] : [{ title: titles.join('; '), restore: { what: 'packages', remove, install: gone } }];
}

const listed = (names: readonly string[]): string =>
  names.length > LISTED + 1 ? `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more` : names.join(', ');
