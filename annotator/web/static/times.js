// Times in the browser's zone, with UTC on hover: <time datetime="..." data-local="minutes|seconds|day|clock">... UTC</time>.
"use strict";

for (const place of document.querySelectorAll("time[data-local]")) {
  const at = new Date(place.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const two = (number) => String(number).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const minutes = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const form = place.dataset.local;
  place.title = place.textContent;
  const seconds = `${minutes}:${two(at.getSeconds())}`;
  place.textContent = { minutes: `${day} ${minutes}`, seconds: `${day} ${seconds}`, day, clock: seconds }[form];
}
