/** Records of one kind in two stores. */
export interface StoreKind {
  kind: string;
  /** The digest is a keyed SHA-256: equal for equal content under one encryption key. */
  source: { records: number; digest: string };
  target: { records: number; digest: string };
  missing: number;
  changed: number;
  additional: number;
  /** Names of the first records that differ. */
  names: string[];
}

/** Result of comparing two stores. Nothing was changed. */
export interface StoreComparison {
  /** Names of the stores, without passwords. */
  from: string;
  to: string;
  /** `empty`, `begun` by an earlier run of this move, or `moved`: the former store, which is compared. */
  target: 'empty' | 'begun' | 'moved';
  equal: boolean;
  kinds: StoreKind[];
}

/** Result of copying while operations run. The source is still in use. */
export interface StoreCopy {
  from: string;
  to: string;
  /** Records that were written or removed, by kind. */
  copied: Record<string, number>;
  rounds: number;
}

/** A store that has moved. */
export interface StoreMoveResult extends StoreCopy {
  /** Whether the platform used the target already, so that nothing was moved. */
  already: boolean;
  /** Milliseconds for which no worker ran; 0 without a switch. */
  heldMs: number;
  worker: 'restarted' | 'absent';
  kinds: StoreKind[];
  notes: string[];
}
