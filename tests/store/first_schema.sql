-- A store as the first version of the program wrote it (tables at revision 0001): two simulated figures of its demo.
BEGIN TRANSACTION;
CREATE TABLE annotations (
	id INTEGER NOT NULL, 
	figure_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	annotator TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	saved_at TEXT NOT NULL, 
	status TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	content TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_annotations PRIMARY KEY (id), 
	CONSTRAINT fk_annotations_figure_revisions FOREIGN KEY(figure_id, revision) REFERENCES figure_revisions (figure_id, revision)
);
INSERT INTO "annotations" VALUES(1,'sim-001',1,'ann1','1','2026-11-21T08:42:28.942362Z','accepted','label-studio:1:1:1','51668bb4c3cd37d7122022cee3bc3608','{"subfigures":[["A",[5.5,4.500000000000001,481.50000000000006,427.0],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]],["B",[485.5,12.9,953.7,430.0],[44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61]]],"items":{},"seeded_by":null,"guideline":"","seconds":81.1}');
INSERT INTO "annotations" VALUES(2,'sim-002',1,'ann1','1','2026-11-21T08:42:29.317677Z','accepted','label-studio:1:2:2','3c0fc55eba4118a9534eb957753e1078','{"subfigures":[["A",[3.1,3.6999999999999993,418.7,331.4],[7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]],["B",[447.4,0.0,860.0,325.2],[7,8,9,10,11,12,13,14,15,16,28,29,30,31,32,33,34,35,36,37,38,39]],["C",[15.4,351.4,424.2,671.6000000000001],[40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56]],["D",[438.6,341.2,854.3,677.2],[57,58,59,60,61,62,63,64,65,66]]],"items":{},"seeded_by":null,"guideline":"","seconds":88.6}');
INSERT INTO "annotations" VALUES(7,'sim-001',1,'ann2','1','2026-11-21T08:42:31.673848Z','accepted','label-studio:2:7:7','65454afed84aa67b4adda54915bdb5c4','{"subfigures":[["A",[0.5,0.0,481.19999999999993,429.2],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]],["B",[486.3,0.0,952.1,430.0],[44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61]]],"items":{},"seeded_by":null,"guideline":"","seconds":64.5}');
INSERT INTO "annotations" VALUES(8,'sim-002',1,'ann2','1','2026-11-21T08:42:32.143077Z','accepted','label-studio:2:8:8','39a49e490d96ff32b72120e2075d187e','{"subfigures":[["A",[11.2,7.7,425.00000000000006,330.9],[7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]],["B",[443.3,6.0,860.0,334.2],[28,29,30,31,32,33,34,35,36,37,38,39]],["C",[5.6,341.3,419.8999999999999,671.2],[40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56]],["D",[439.8,340.3,849.5999999999999,671.6],[57,58,59,60,61,62,63,64,65,66]]],"items":{},"seeded_by":null,"guideline":"","seconds":113.7}');
INSERT INTO "annotations" VALUES(13,'sim-001',1,'ann3','1','2026-11-21T08:42:34.508855Z','accepted','label-studio:3:13:13','86912d45ab8f27572930bc3e635e81bb','{"subfigures":[["A",[0.0,0.0,481.9,417.1],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]],["B",[483.4,0.0,958.9999999999999,429.2],[44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61]]],"items":{},"seeded_by":null,"guideline":"","seconds":65.5}');
INSERT INTO "annotations" VALUES(14,'sim-002',1,'ann3','1','2026-11-21T08:42:35.010069Z','accepted','label-studio:3:14:14','65e12f685909c6dcd44a8c44a083b356','{"subfigures":[["A",[0.0,0.4,419.8,330.3],[7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]],["B",[438.9,13.4,845.5,334.80000000000007],[7,8,9,10,11,12,13,14,15,16,28,29,30,31,32,33,34]],["C",[0.0,348.5,413.4,676.6],[40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56]],["D",[440.7,340.8,854.8,667.5],[57,58,59,60,61,62,63,64,65,66]]],"items":{},"seeded_by":null,"guideline":"","seconds":114.3}');
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	figure_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	reviewer TEXT NOT NULL, 
	status TEXT NOT NULL, 
	decided_at TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_figure_revisions FOREIGN KEY(figure_id, revision) REFERENCES figure_revisions (figure_id, revision), 
	CONSTRAINT uq_decisions UNIQUE (figure_id, version)
);
INSERT INTO "decisions" VALUES(1,'sim-001',1,1,'reviewer','ignored','2026-11-21T09:01:00.000000Z','{"subfigures":[["A",[5.5,4.500000000000001,481.50000000000006,427.0],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]]],"items":{},"based_on":["ann1"],"note":"for the lead: \"which panel?\"","seconds":null}');
INSERT INTO "decisions" VALUES(2,'sim-001',1,2,'reviewer','accepted','2026-11-21T09:02:00.000000Z','{"subfigures":[["A",[5.5,4.500000000000001,481.50000000000006,427.0],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]],["B",[485.5,12.9,953.7,430.0],[44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61]]],"items":{},"based_on":["ann1"],"note":"","seconds":41.5}');
CREATE TABLE figure_revisions (
	figure_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	frame TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_figure_revisions PRIMARY KEY (figure_id, revision), 
	CONSTRAINT fk_figure_revisions_figures FOREIGN KEY(figure_id) REFERENCES figures (figure_id)
);
INSERT INTO "figure_revisions" VALUES('sim-001',1,'9a775e55d03c894b4b8c37242e11e7bb','1ed5e043f67dd0921d2153a0f6e6ff0b','{"image":"images/sim-001-9d7bcc16cf96.png","width":962,"height":430,"caption":"Computed tomography of the chest in a 73-year-old patient with persistent cough. (A) Axial section at the level of the heart shows a solid nodule of 15 mm in the right upper lobe (arrow). (B) Coronal reformation confirms that the nodule lies apart from the pleura (arrow). Lung window; no contrast medium was given.","tokens":[[0,8],[9,19],[20,22],[23,26],[27,32],[33,35],[36,37],[38,40],[40,41],[41,45],[45,46],[46,49],[50,57],[58,62],[63,73],[74,79],[79,80],[81,82],[82,83],[83,84],[85,90],[91,98],[99,101],[102,105],[106,111],[112,114],[115,118],[119,124],[125,130],[131,132],[133,138],[139,145],[146,148],[149,151],[152,154],[155,157],[158,161],[162,167],[168,173],[174,178],[179,180],[180,185],[185,186],[186,187],[188,189],[189,190],[190,191],[192,199],[200,211],[212,220],[221,225],[226,229],[230,236],[237,241],[242,247],[248,252],[253,256],[257,263],[264,265],[265,270],[270,271],[271,272],[273,277],[278,284],[284,285],[286,288],[289,297],[298,304],[305,308],[309,314],[314,315]],"references":["Computed tomography showed a nodule of 15 mm in the right upper lobe (Figure 1A).","The coronal reformation (Figure 1B) ruled out contact with the pleura."],"document":"simulated-article-001","source":{"document":"simulated-article-001","licence":"Apache-2.0","simulated":true},"extra":{},"image_sha256":"9d7bcc16cf96c8ab8af946f477a79728f4cdc32699503752f88e309b002e743a"}');
INSERT INTO "figure_revisions" VALUES('sim-002',1,'77308f2616060750d21eaac90fda5b74','c75a9a9093ab014f1a79530e2ff7cd41','{"image":"images/sim-002-bcfdce9b3cfa.png","width":860,"height":680,"caption":"Histological findings in the resected specimen. (a, b) Haematoxylin and eosin staining shows glands of irregular shape at low magnification (a) and enlarged nuclei with prominent nucleoli at high magnification (b). (c) Immunostaining for Ki-67 is positive in 39% of the nuclei. (d) Negative control without the primary antibody. Scale bars: 100 µm (a), 40 µm (b), 50 µm (c, d).","tokens":[[0,12],[13,21],[22,24],[25,28],[29,37],[38,46],[46,47],[48,49],[49,50],[50,51],[52,53],[53,54],[55,67],[68,71],[72,77],[78,86],[87,92],[93,99],[100,102],[103,112],[113,118],[119,121],[122,125],[126,139],[140,141],[141,142],[142,143],[144,147],[148,156],[157,163],[164,168],[169,178],[179,187],[188,190],[191,195],[196,209],[210,211],[211,212],[212,213],[213,214],[215,216],[216,217],[217,218],[219,233],[234,237],[238,240],[240,241],[241,243],[244,246],[247,255],[256,258],[259,261],[261,262],[263,265],[266,269],[270,276],[276,277],[278,279],[279,280],[280,281],[282,290],[291,298],[299,306],[307,310],[311,318],[319,327],[327,328],[329,334],[335,339],[339,340],[341,344],[345,347],[348,349],[349,350],[350,351],[351,352],[353,355],[356,358],[359,360],[360,361],[361,362],[362,363],[364,366],[367,369],[370,371],[371,372],[372,373],[374,375],[375,376],[376,377]],"references":["The specimen contained irregular glands (Fig. 2a) with enlarged nuclei (Fig. 2b).","The Ki-67 index was 39% (Fig. 2c), whereas the control remained negative (Fig. 2d)."],"document":"simulated-article-001","source":{"document":"simulated-article-001","licence":"Apache-2.0","simulated":true},"extra":{},"image_sha256":"bcfdce9b3cfaf279b949598dbdb2c85f8ce5f3ac7fa90930c0e618d11c04acf2"}');
CREATE TABLE figures (
	figure_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_figures PRIMARY KEY (figure_id)
);
INSERT INTO "figures" VALUES('sim-001',1);
INSERT INTO "figures" VALUES('sim-002',1);
CREATE TABLE links (
	annotator TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	figure_id TEXT NOT NULL, 
	project_id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (annotator, phase, figure_id), 
	CONSTRAINT fk_links_figures FOREIGN KEY(figure_id) REFERENCES figures (figure_id)
);
INSERT INTO "links" VALUES('ann1','1','sim-001',1,1);
INSERT INTO "links" VALUES('ann1','1','sim-002',1,2);
INSERT INTO "links" VALUES('ann2','1','sim-001',2,7);
INSERT INTO "links" VALUES('ann2','1','sim-002',2,8);
INSERT INTO "links" VALUES('ann3','1','sim-001',3,13);
INSERT INTO "links" VALUES('ann3','1','sim-002',3,14);
INSERT INTO "links" VALUES('you','1','sim-001',4,19);
INSERT INTO "links" VALUES('you','1','sim-002',4,20);
CREATE TABLE panelwise_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT panelwise_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "panelwise_revision" VALUES('0001');
CREATE TABLE people (
	name TEXT NOT NULL, 
	email TEXT NOT NULL, 
	active BOOLEAN NOT NULL, 
	roles TEXT NOT NULL, 
	password_hash TEXT, 
	CONSTRAINT pk_people PRIMARY KEY (name)
);
INSERT INTO "people" VALUES('ann1','',1,'annotator',NULL);
INSERT INTO "people" VALUES('ann2','',1,'annotator',NULL);
INSERT INTO "people" VALUES('ann3','',1,'annotator',NULL);
INSERT INTO "people" VALUES('you','',1,'annotator',NULL);
INSERT INTO "people" VALUES('reviewer','',1,'lead reviewer','argon2-hash');
CREATE TABLE predictions (
	id INTEGER NOT NULL, 
	figure_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	model_version TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	CONSTRAINT pk_predictions PRIMARY KEY (id), 
	CONSTRAINT fk_predictions_figure_revisions FOREIGN KEY(figure_id, revision) REFERENCES figure_revisions (figure_id, revision), 
	CONSTRAINT uq_predictions UNIQUE (figure_id, model_version)
);
INSERT INTO "predictions" VALUES(1,'sim-001',1,'classic-1','{"subfigures":[["A",[0.0,0.0,480.0,430.0],[17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43]],["B",[482.0,0.0,962.0,430.0],[44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70]]],"scores":[0.579,0.579],"items":{}}');
INSERT INTO "predictions" VALUES(2,'sim-002',1,'classic-1','{"subfigures":[["A",[6.0,6.0,423.0,331.0],[7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]],["B",[437.0,6.0,854.0,331.0],[7,8,9,10,11,28,29,30,31,32,33,34,35,36,37,38,39]],["C",[6.0,347.0,423.0,672.0],[40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56]],["D",[437.0,347.0,854.0,672.0],[57,58,59,60,61,62,63,64,65,66]]],"scores":[0.778,0.778,0.778,0.778],"items":{}}');
CREATE TABLE projects (
	annotator TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	project_id INTEGER NOT NULL, 
	server_url TEXT NOT NULL, 
	title TEXT NOT NULL, 
	CONSTRAINT pk_projects PRIMARY KEY (annotator, phase)
);
INSERT INTO "projects" VALUES('ann1','1',1,'http://127.0.0.1:51881','ann1 · phase 1');
INSERT INTO "projects" VALUES('ann2','1',2,'http://127.0.0.1:51881','ann2 · phase 1');
INSERT INTO "projects" VALUES('ann3','1',3,'http://127.0.0.1:51881','ann3 · phase 1');
INSERT INTO "projects" VALUES('you','1',4,'http://127.0.0.1:51881','you · phase 1');
CREATE TABLE queue (
	figure_id TEXT NOT NULL, 
	judged BOOLEAN NOT NULL, 
	agreement DOUBLE, 
	annotators INTEGER NOT NULL, 
	decided BOOLEAN NOT NULL, 
	status TEXT, 
	version INTEGER NOT NULL, 
	reviewer TEXT NOT NULL, 
	CONSTRAINT pk_queue PRIMARY KEY (figure_id), 
	CONSTRAINT fk_queue_figures FOREIGN KEY(figure_id) REFERENCES figures (figure_id)
);
INSERT INTO "queue" VALUES('sim-001',1,1.0,3,1,'accepted',2,'reviewer');
INSERT INTO "queue" VALUES('sim-002',1,9.38502415458937200298e-01,3,0,NULL,0,'');
CREATE TABLE settings (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('campaign_id','c0ffee');
CREATE TABLE tasks (
	id INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	figure_id TEXT NOT NULL, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT fk_tasks_figures FOREIGN KEY(figure_id) REFERENCES figures (figure_id), 
	CONSTRAINT uq_tasks UNIQUE (phase, annotator, figure_id)
);
INSERT INTO "tasks" VALUES(13,'1','ann1','sim-001');
INSERT INTO "tasks" VALUES(14,'1','ann2','sim-001');
INSERT INTO "tasks" VALUES(15,'1','ann3','sim-001');
INSERT INTO "tasks" VALUES(16,'1','you','sim-001');
INSERT INTO "tasks" VALUES(21,'1','ann1','sim-002');
INSERT INTO "tasks" VALUES(22,'1','ann2','sim-002');
INSERT INTO "tasks" VALUES(23,'1','ann3','sim-002');
INSERT INTO "tasks" VALUES(24,'1','you','sim-002');
CREATE INDEX ix_queue_open ON queue (decided, judged, agreement, figure_id);
CREATE INDEX ix_queue_order ON queue (judged, agreement, figure_id);
CREATE INDEX ix_annotations_by_phase ON annotations (phase, figure_id, annotator);
CREATE INDEX ix_annotations_current ON annotations (figure_id, annotator, phase, saved_at, id);
CREATE INDEX ix_predictions_by_model ON predictions (model_version, figure_id);
CREATE TRIGGER annotations_no_update BEFORE UPDATE ON annotations BEGIN SELECT RAISE(ABORT, 'annotations are append-only'); END;
CREATE TRIGGER annotations_no_delete BEFORE DELETE ON annotations BEGIN SELECT RAISE(ABORT, 'annotations are append-only'); END;
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
COMMIT;
