import type { Session } from '../../program/session.js';

/** Progress of a count while the user waits: one line that is redrawn and removed at the end. */
export interface Count {
  begin(of: number): void;
  done(name: string, count: number, of: number): void;
  end(): void;
}

/**
 * Shows a count on standard error, to keep it out of the answer. On a terminal it is redrawn in place. With --verbose
 * it is one line each, otherwise nothing.
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
