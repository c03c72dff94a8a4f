/** How the host calls itself. */
export interface SystemNames {
  /** Manufacturer and model of the processor. */
  readonly processor: string;
  /** Name, release and code name of the operating system, e.g. `Debian GNU/Linux 12 (bookworm)`. */
  readonly distribution: string;
}
