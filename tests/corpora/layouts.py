"""Layout files for pages of 420×300 pixels."""

ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>
<Page WIDTH="420" HEIGHT="300"><PrintSpace>{}</PrintSpace></Page></Layout></alto>"""
BLOCK = '<TextBlock HPOS="{}" VPOS="20" WIDTH="100" HEIGHT="50"/>'
