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

  // Which upload was under way when the page was closed: the same files go on where it stopped.
  const KEY = `panelwise.upload ${place.dataset.import ?? ""}`;
  const remember = (value) => {
    try {
      if (value) localStorage.setItem(KEY, JSON.stringify(value));
      else localStorage.removeItem(KEY);
    } catch {
      // Without storage an upload begins anew.
    }
  };
  const recall = async () => {
    try {
      const earlier = JSON.parse(localStorage.getItem(KEY));
      const answer = earlier && (await fetch(`${begin}/${earlier.id}`));
      if (answer?.ok) return { ...earlier, ...(await answer.json()) };
      if (answer?.status === 422) remember(null);
    } catch {
      // As above.
    }
    return null;
  };
  // Tells the same files from any others: by name, size and time.
  const printOf = (files) => {
    let hash = 0;
    for (const [name, file] of files) {
      for (const letter of `${name}|${file.size}|${file.lastModified}\n`) {
        hash = (Math.imul(hash, 31) + letter.codePointAt(0)) | 0;
      }
    }
    return `${files.length} ${hash}`;
  };

  const send = async (address, name, file, from, sent) => {
    let size = Math.min(from, file.size);
    sent(size);
    while (size < file.size || !file.size) {
      const piece = file.slice(size, size + PIECE);
      const query = new URLSearchParams({ name, offset: String(size) });
      const found = await post(`${address}?${query}`, piece);
      sent(found.size - size);
      size = found.size;
      if (!file.size) return;
    }
  };

  const upload = async (chosen) => {
    const files = chosen.filter((each) => !hidden(each));
    if (busy || !files.length) return;
    busy = true;
    refused.replaceChildren();
    unfinished?.remove();
    const total = files.reduce((sum, [, file]) => sum + file.size, 0);
    let done = 0;
    progress.max = total || 1;
    progress.value = 0;
    progress.hidden = false;
    said.textContent = "Starting the upload";
    try {
      const print = printOf(files);
      const earlier = await recall();
      const goesOn = earlier?.print === print;
      const id = goesOn ? earlier.id : (await post(begin)).upload;
      remember({ id, print, total, count: files.length });
      address = `${begin}/${id}`;
      let good = 0;
      for (const [number, [name, file]] of files.entries()) {
        const show = () => {
          const part = `${Math.floor((100 * done) / (total || 1))} %`;
          said.textContent = `Uploading file ${number + 1} of ${files.length}: ${name} (${part})`;
        };
        show();
        try {
          await send(address, name, file, (goesOn && earlier.sizes[name]) || 0, (more) => {
            done += more;
            progress.value = done;
            show();
          });
          good += 1;
        } catch (error) {
          if (!error.final) throw error;
          refused.append(Object.assign(document.createElement("li"), { textContent: error.message }));
        }
      }
      if (!good) {
        said.textContent = "No file can be imported.";
        progress.hidden = true;
        await giveUp();
        return;
      }
      said.textContent = "Starting the import";
      const asked = new URLSearchParams({ upload: id, annotator: document.getElementById("annotator")?.value ?? "" });
      for (const key of ["licence", "document"]) {
        const value = document.getElementById(key)?.value.trim();
        if (value) asked.set(key, value);
      }
      if (document.getElementById("revise")?.checked) asked.set("revise", "1");
      const { url } = await post(`${place.dataset.import ?? `${address}/import`}?${asked}`);
      address = "";
      remember(null);
      location.assign(url);
    } catch (error) {
      said.textContent = error.final
        ? `Not imported: ${error.message}.`
        : `The upload stopped: ${error.message}. Choose the same files to go on.`;
      if (error.final) await giveUp();
    } finally {
      busy = false;
    }
  };

  const giveUp = async () => {
    const given = address;
    address = "";
    remember(null);
    await post(`${given}/remove`);
  };

  // A page that is closed leaves its upload to be removed soon, unless it is loaded again and goes on.
  addEventListener("pagehide", () => {
    if (!address) return;
    const form = new FormData();
    form.set("csrf_token", csrf);
    navigator.sendBeacon(`${address}/leave`, form);
  });

  const unfinished = document.getElementById("unfinished");
  recall().then((earlier) => {
    if (!earlier || busy || !unfinished) return;
    const here = Object.values(earlier.sizes).reduce((sum, size) => sum + size, 0);
    const part = `${Math.floor((100 * here) / (earlier.total || 1))} %`;
    const files = earlier.count === 1 ? "1 file" : `${earlier.count} files`;
    unfinished.querySelector("span").textContent =
      `An upload of ${files} was interrupted at ${part}. Choose the same files to go on.`;
    unfinished.hidden = false;
    unfinished.querySelector("button").addEventListener("click", async () => {
      address = `${begin}/${earlier.id}`;
      await giveUp();
      unfinished.hidden = true;
    });
  });

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
