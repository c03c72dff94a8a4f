/** Percent in use of the whole node, 0 to 100; `null` where it cannot be read. */
export interface Load {
  readonly cpu: number | null;
  readonly memory: number | null;
  readonly disk: number | null;
}

/** The service of the plugin that measures the node. */
export interface NodeLoad {
  /** Resolves with the load since the last sample; does not resume a sampler that is paused. */
  now(): Promise<Load>;
}
