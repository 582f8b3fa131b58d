/** Seconds that the screen was visible. Time is given, never read, so that it can be tested. */
export class Clock {
  private total: number;
  private since: number | null = null;

  /** seconds: what an earlier visit already spent. */
  constructor(seconds = 0) {
    this.total = seconds * 1000;
  }

  /** Tell whether the screen can be seen from `now` (milliseconds) on. */
  visible(seen: boolean, now: number): void {
    if (seen && this.since === null) this.since = now;
    if (!seen && this.since !== null) {
      this.total += now - this.since;
      this.since = null;
    }
  }

  /** Counts what an earlier visit spent. */
  add(seconds: number): void {
    this.total += Math.max(0, seconds) * 1000;
  }

  seconds(now: number): number {
    return (this.total + (this.since === null ? 0 : now - this.since)) / 1000;
  }
}
