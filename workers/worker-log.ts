import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { ProvisioningError } from '../core/errors.js';

/**
 * The log of the worker. Of an error it says code, class and place in our code, and not the text: that may hold what a
 * host printed. The text is in the failure of the operation, masked and sealed.
 */
export function workerLog(level: LogLevel): DefaultLogger {
  const log = new DefaultLogger(level);
  const said = (meta?: Record<string, unknown>) =>
    meta && Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, value instanceof Error ? placeOf(value) : value]));
  const write = log.log.bind(log);
  log.log = (severity, message, meta) => write(severity, message, said(meta));
  return log;
}

/** What of an error is ours: its class, its code and the frames of its stack, and the same of its causes. */
export function placeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, failure } = error as { type?: unknown; failure?: { stackTrace?: unknown } };
  const code = error instanceof ProvisioningError ? error.details.code : typeof type === 'string' ? type : undefined;
  const frames = `${error.stack ?? ''}\n${failure?.stackTrace ?? ''}`.split('\n').filter((line) => FRAME.test(line));
  const cause = error.cause !== undefined && depth < 5 ? [`caused by ${placeOf(error.cause, depth + 1)}`] : [];
  const name = /^\w{1,80}$/.test(error.name) ? error.name : 'Error';
  return [[name, code, ownTextOf(error)].filter(Boolean).join(' '), ...frames, ...cause].join('\n');
}

/** The text of an error that Node itself has written, of a defect or of the system: no host has a say in it. */
function ownTextOf(error: Error): string | undefined {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && typeof syscall === 'string') return `${code} (${syscall})`;
  return error instanceof TypeError || error instanceof ReferenceError ? error.message.slice(0, 200) : undefined;
}

/** A line of a stack that names a file of ours, of a package or of Node: a text of several lines cannot pass for one easily. */
const FRAME = /^ {4}at [^'"`$;|&]{0,200}?\(?(?:file:\/\/|node:|\/)[^\s'"`$;|&()]{1,300}:\d+:\d+\)?$/;
