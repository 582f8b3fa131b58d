/** The sheet of keys, from the table of keys. */

import type { sheetOf } from "./keymap";

export function KeySheet({ groups, onClose }: { groups: ReturnType<typeof sheetOf>; onClose: () => void }) {
  return (
    <div class="sheet" role="dialog" aria-label="Keys" id="sheet" tabIndex={-1}>
      <div class="sheet-head">
        <h2>Keys</h2>
        <button type="button" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <div class="groups">
        {groups.map(({ title, lines }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(({ keys, text }) => [
                <dt key={keys.join()}>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>,
                <dd key={text}>{text}</dd>,
              ])}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}
