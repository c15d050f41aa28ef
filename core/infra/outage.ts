/** What is tried again for as long as it takes, such as a record in a store that is down. */
export interface Outage {
  /** ISO time. */
  since: string;
  why: string;
}

const BEGIN = 'waits since ';

/** What keeps an operation or an infra waiting, for people. */
export const outageWords = ({ since, why }: Outage): string => `${BEGIN}${since} and tries again: ${why}`;

/** Whether an operation says that it waits for a store. */
export const isOutage = (waiting: string | undefined): boolean => waiting?.startsWith(BEGIN) === true;
