/** An action that is retried without limit, such as a write to a store that is down. */
export interface Outage {
  /** ISO time. */
  since: string;
  why: string;
}

const BEGIN = 'waits since ';

/** Reason why an operation or an infra waits, for people. */
export const outageWords = ({ since, why }: Outage): string => `${BEGIN}${since} and tries again: ${why}`;

/** Whether an operation says that it waits for a store. */
export const isOutage = (waiting: string | undefined): boolean => waiting?.startsWith(BEGIN) === true;
