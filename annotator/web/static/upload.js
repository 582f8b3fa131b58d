// Send files in pieces, so that a break loses nothing, then import them as a job.
"use strict";

(() => {
  const place = document.getElementById("upload");
  if (!place) return;
  const PIECE = 512 * 1024;
  const TRIES = 6;
  const { csrf, begin } = place.dataset;
  const progress = document.getElementById("progress");
  const said = document.getElementById("said");
  const refused = document.getElementById("refused");
  let busy = false;
  let address = "";

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  // A request that is tried again where the network or the server fails; the server's refusal is an error.
  const post = async (url, body) => {
    for (let tried = 1; ; tried += 1) {
      try {
        const answer = await fetch(url, { method: "POST", body, headers: { "X-CSRFToken": csrf }, redirect: "error" });
        const found = await answer.json();
        if (answer.ok) return found;
        if (answer.status < 500 && answer.status !== 429) throw Object.assign(new Error(found.error), { final: true });
      } catch (error) {
        if (error.final || tried === TRIES) throw error;
      }
      await wait(500 * 2 ** tried);
    }
  };

  const send = async (address, name, file, sent) => {
    let size = 0;
    do {
      const piece = file.slice(size, size + PIECE);
      const query = new URLSearchParams({ name, offset: String(size) });
      const found = await post(`${address}?${query}`, piece);
      sent(found.size - size);
      size = found.size;
    } while (size < file.size);
  };

  const upload = async (chosen) => {
    const files = chosen.filter((each) => !hidden(each));
    if (busy || !files.length) return;
    busy = true;
    refused.replaceChildren();
    const total = files.reduce((sum, [, file]) => sum + file.size, 0);
    let done = 0;
    progress.max = total || 1;
    progress.value = 0;
    progress.hidden = false;
    try {
      const { upload: id } = await post(begin);
      address = `${begin}/${id}`;
      let good = 0;
      for (const [name, file] of files) {
        said.textContent = `Uploading ${name}`;
        try {
          await send(address, name, file, (more) => {
            done += more;
            progress.value = done;
          });
          good += 1;
        } catch (error) {
          if (!error.final) throw error;
          refused.append(Object.assign(document.createElement("li"), { textContent: error.message }));
        }
      }
      if (!good) {
        said.textContent = "No file can be imported.";
        return;
      }
      const asked = new URLSearchParams({ upload: id, annotator: document.getElementById("annotator")?.value ?? "" });
      if (document.getElementById("revise")?.checked) asked.set("revise", "1");
      const { url } = await post(`${place.dataset.import ?? `${address}/import`}?${asked}`);
      address = "";
      location.assign(url);
    } catch (error) {
      said.textContent = `The upload stopped: ${error.message}. Choose the files again.`;
    } finally {
      giveUp();
      busy = false;
    }
  };

  // What was sent is of no use once the page is closed, or nothing of it can be imported.
  const giveUp = () => {
    if (!address) return;
    const form = new FormData();
    form.set("csrf_token", csrf);
    navigator.sendBeacon(`${address}/remove`, form);
    address = "";
  };
  addEventListener("pagehide", giveUp);

  const hidden = ([name]) => name.split("/").some((part) => part.startsWith("."));
  const named = (list) => [...list].map((file) => [file.webkitRelativePath || file.name, file]);
  for (const id of ["files", "folder"]) {
    const input = document.getElementById(id);
    input?.addEventListener("change", () => upload(named(input.files)).finally(() => (input.value = "")));
  }

  // Files and folders that are dropped: folders are walked.
  const walk = async (entry, path) => {
    if (entry.isFile) return [[path + entry.name, await new Promise((good, bad) => entry.file(good, bad))]];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const some = await new Promise((good, bad) => reader.readEntries(good, bad));
      if (!some.length) return found;
      for (const each of some) found.push(...(await walk(each, `${path}${entry.name}/`)));
    }
  };
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", async (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const lists = await Promise.all(entries.map((entry) => walk(entry, "")));
    upload(lists.flat());
  });
})();
