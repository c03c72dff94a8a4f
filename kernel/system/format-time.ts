/** Formats milliseconds since 1970 as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
