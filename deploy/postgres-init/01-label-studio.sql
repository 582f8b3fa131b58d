-- Label Studio keeps its own database beside the campaign's store.
CREATE DATABASE labelstudio OWNER panelwise;
