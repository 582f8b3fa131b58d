"""The names of `panelwise.settings` for other packages; `__init__.py` reads this file."""

from panelwise.settings.campaign_toml import FILE_NAME as FILE_NAME
from panelwise.settings.campaign_toml import CampaignFile as CampaignFile
from panelwise.settings.campaign_toml import campaign_bytes as campaign_bytes
from panelwise.settings.campaign_toml import campaign_text as campaign_text
from panelwise.settings.campaign_toml import parse_campaign as parse_campaign
from panelwise.settings.campaign_toml import phase_lines as phase_lines
from panelwise.settings.campaign_toml import plain as plain
from panelwise.settings.campaign_toml import read_campaign as read_campaign
from panelwise.settings.edit_toml import with_store_url as with_store_url
from panelwise.settings.edit_toml import with_values as with_values
from panelwise.settings.file_tables import UNLIMITED as UNLIMITED
from panelwise.settings.file_tables import ImageLimits as ImageLimits
from panelwise.settings.file_tables import ImageSettings as ImageSettings
from panelwise.settings.file_tables import ViewSettings as ViewSettings
from panelwise.settings.release_table import Author as Author
from panelwise.settings.release_table import DatasetSettings as DatasetSettings
from panelwise.settings.release_table import ReleaseSettings as ReleaseSettings
from panelwise.settings.secrets import secret_setting as secret_setting
