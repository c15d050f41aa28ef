import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { ProvisioningError } from '../core/errors.js';

/**
 * Creates the log of the worker. An error is logged with its code, class and place in the code, but without its
 * message, which may contain output of a host. The message is in the failure of the operation, masked and sealed.
 */
export function workerLog(level: LogLevel): DefaultLogger {
  const log = new DefaultLogger(level);
  const said = (meta?: Record<string, unknown>) =>
    meta && Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, value instanceof Error ? placeOf(value) : value]));
  const write = log.log.bind(log);
  log.log = (severity, message, meta) => write(severity, message, said(meta));
  return log;
}

/** Returns the safe parts of an error: its class, its code and the frames of its stack, and the same of its causes. */
export function placeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error;
  const { type, failure } = error as { type?: unknown; failure?: { stackTrace?: unknown } };
  const code = error instanceof ProvisioningError ? error.details.code : typeof type === 'string' ? type : undefined;
  const frames = `${error.stack ?? ''}\n${failure?.stackTrace ?? ''}`.split('\n').filter((line) => FRAME.test(line));
  const cause = error.cause !== undefined && depth < 5 ? [`caused by ${placeOf(error.cause, depth + 1)}`] : [];
  const name = /^\w{1,80}$/.test(error.name) ? error.name : 'Error';
  return [[name, code, ownTextOf(error)].filter(Boolean).join(' '), ...frames, ...cause].join('\n');
}

/** Returns the message of an error that Node created, for a defect or for the system: hosts cannot influence it. */
function ownTextOf(error: Error): string | undefined {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && typeof syscall === 'string') return `${code} (${syscall})`;
  return error instanceof TypeError || error instanceof ReferenceError ? error.message.slice(0, 200) : undefined;
}

/**
 * A stack line that names a file: in this project, in a package, or in Node. A text of several lines cannot easily
 * imitate one.
 */
const FRAME = /^ {4}at [^'"`$;|&]{0,200}?\(?(?:file:\/\/|node:|\/)[^\s'"`$;|&()]{1,300}:\d+:\d+\)?$/;
