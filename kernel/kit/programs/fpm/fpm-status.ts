/** The numbers that PHP-FPM tells of a pool, see `pm.status_path`. */
interface FpmStatus {
  /** Requests that it took, the one for this included. */
  readonly accepted: number;
  /** Processes that have one, the one that answers included. */
  readonly active: number;
  /** How often the most processes were reached. */
  readonly limitReached: number;
}

/**
 * Reads a status in FPM's plain form. It comes from a process in the customer's hands: it has numbers of a bounded length, or is none.
 * Throws for what is none.
 */
export function readStatus(text: string): FpmStatus {
  const value = (name: string): number => {
    const digits = new RegExp(`^${name}: {1,32}(\\d{1,10})\\r?$`, 'm').exec(text)?.[1];
    if (digits === undefined) throw new Error(`a pool of PHP does not say its ${name}`);
    return Number(digits);
  };
  return {
    accepted: value('accepted conn'),
    active: value('active processes'),
    limitReached: value('max children reached'),
  };
}
