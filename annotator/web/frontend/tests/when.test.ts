import { expect, test } from "vitest";
import { when } from "../src/frame/when";

test("of today the time is told, of other days the day too", () => {
  const now = new Date(2026, 4, 3, 18, 0);
  expect(when(new Date(2026, 4, 3, 15, 7).toISOString(), now)).toBe("15:07");
  expect(when(new Date(2026, 4, 2, 9, 30).toISOString(), now)).toMatch(/2.*09:30$/);
  expect(when("unknown", now)).toBe("unknown");
});
