/** Day and time, short, as the reader's own clock tells them; of today the time alone. */
export function when(moment: string, now = new Date()): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  if (date.toDateString() === now.toDateString()) return time;
  return `${date.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${time}`;
}

/** The whole day and time, with the zone. */
export function whenExactly(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? moment : date.toLocaleString(undefined, { dateStyle: "long", timeStyle: "long" });
}
