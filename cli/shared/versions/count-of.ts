import type { Session } from '../../program/session.js';

/** Tells how much of something is done, while a person waits: one line, written over, gone at the end. */
export interface Count {
  begin(of: number): void;
  done(name: string, count: number, of: number): void;
  end(): void;
}

/**
 * On standard error, so that the answer stays alone: on a terminal in place; with --verbose a line for each; else nothing.
 *
 * @param what `services checked`
 */
export function createCount({ err, json, verbose, note }: Pick<Session, 'err' | 'json' | 'verbose' | 'note'>, what: string): Count {
  const inPlace = err.live && !json;
  const tell = (count: number, of: number) => {
    err.control('\r\u001b[K');
    err.write(`${count} of ${of} ${what}`);
  };
  return {
    begin: (of) => inPlace && tell(0, of),
    done(name, count, of) {
      if (inPlace) tell(count, of);
      else if (verbose) note(`${count} of ${of} ${what}: ${name}`);
    },
    end: () => inPlace && err.control('\r\u001b[K'),
  };
}
