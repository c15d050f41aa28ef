/** Characters of one attempt's log; what comes after is left out. */
const MAX_LOG = 32 * 1024 * 1024;

interface Log {
  write(text: string): void;
  close(): Promise<void>;
}

/** A log that ends before a host that prints without end has filled the disk, or the memory before it. */
export function limitLog(log: Log, most = MAX_LOG): Log {
  let written = 0;
  return {
    write(text) {
      if (written > most) return;
      written += text.length;
      log.write(written > most ? `== the log is cut here: more than ${most / 1024 / 1024} MiB\n` : text);
    },
    close: () => log.close(),
  };
}
