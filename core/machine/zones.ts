import type { CallContext } from './call-context.js';

/** All records of a name and type in a zone. */
export interface RecordSet {
  /** Complete, in lower-case letters, without a dot at the end. */
  name: string;
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  /** In seconds. */
  ttl: number;
  /** Addresses and names as they are, texts without quotes, sorted. */
  values: string[];
}

/** Change of a record set: without `from` it is created, without `to` it is removed. */
export interface RecordChange extends Pick<RecordSet, 'name' | 'type'> {
  from?: Pick<RecordSet, 'ttl' | 'values'>;
  to?: Pick<RecordSet, 'ttl' | 'values'>;
}

/** Records of zones that the account has; zones themselves are neither made nor removed. */
export interface ZoneVerbs {
  /** The record sets of these types. Throws the input error `zone-missing` where the account has no such zone. */
  list(zone: string, context: CallContext): Promise<RecordSet[]>;
  /**
   * Makes the changes, in order or all at once, and returns when the provider's name servers have them. A record that
   * must be created and already exists is never overwritten: that is the transient error `records-changed`, and the
   * next look finds it.
   */
  change(zone: string, changes: readonly RecordChange[], context: CallContext): Promise<void>;
}
