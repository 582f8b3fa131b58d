/** The screen: keys in, panes out. One frame for every body. */

import { useRef } from "preact/hooks";
import { sheetOf } from "../keys/keymap";
import type { Body, Kind } from "../session/body";
import type { Places } from "../session/screen";
import { ConflictDialog } from "./conflict";
import { Footer, Header } from "./frame";
import { GuidelinePanel } from "./guideline";
import { DraftRestored, NotSaved, RejectFigure, StaleDraft } from "./notices";
import { KeySheet } from "./sheet";
import { useSession } from "./stage";
import type { Bridge, View } from "./view";
import type { Session } from "../session/session";

interface AppProps<K extends Kind> {
  body: Body<K>;
  view: View<K>;
  state: K["state"];
  places: Places;
}

export function App<K extends Kind>({ body, view, state, places }: AppProps<K>) {
  const bridge = useRef<Bridge>({ flush: () => undefined, fit: () => 1 }).current;
  const session = useSession(body, view, state, places, bridge);
  return (
    <div class="aj-screen">
      <Header session={session} view={view} />
      <div class={`panes ${view.panesClass}`}>
        <view.Panes session={session} bridge={bridge} />
        <GuidelinePanel session={session} />
        <Notice session={session} view={view} />
        {session.screen.sheet && <KeySheet groups={sheetOf(body.name)} onClose={() => session.run({ do: "escape" })} />}
      </div>
      <Footer session={session} view={view} />
    </div>
  );
}

/** A row over the panes' lower edge, or the comparison over a pane: it moves nothing. */
function Notice<K extends Kind>({ session, view }: { session: Session<K>; view: View<K> }) {
  const { notice } = session.screen;
  switch (notice?.kind) {
    case undefined:
      return null;
    case "conflict":
      return <ConflictDialog session={session} view={view} notice={notice} />;
    case "failed":
      return <NotSaved session={session} notice={notice} />;
    case "draft":
      return <DraftRestored session={session} savedAt={notice.saved_at} />;
    case "stale":
      return <StaleDraft session={session} notice={notice} />;
    case "reject":
      return view.Reject ? <view.Reject session={session} /> : <RejectFigure session={session} />;
  }
}
